// The deltas that begin a lane anew: they replace all its entries by others.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "stream/state/delta.h"
#include "stream/state/groups.h"

namespace neardup {

/// After `last`, an index of these window options needs no entry below this time. At least as
/// late as the horizon of `last`, unless the window is longer now: the watermark of `last` may have
/// fallen, because a restart forgets which inputs were idle.
int64_t HorizonAfter(const Delta& last, const WindowOptions& window);

/// Cuts entries and groups into deltas that are small enough for a broker.
class FreshDeltaCutter {
 public:
  /// Gets each delta as soon as it is full. An error ends the call that filled the delta.
  using Sink = std::function<Result<void>(Delta&&)>;

  /// `empty`: what all deltas say, without entries and groups. It decides nothing: seq_first is
  /// seq_last + 1. The first delta is fresh and follows `writer_before`, the writer of the newest
  /// delta of the changelog (0: there is none), and only the first one holds `learned`.
  FreshDeltaCutter(Delta empty, uint64_t writer_before, Sink sink);

  /// The next entry, the oldest first. Its position names an input of `empty`.
  Result<void> Add(Entry entry);
  /// Add all entries before the first group. NumberedGroup::number is the place of the original
  /// among the entries, from 0.
  Result<void> Add(const NumberedGroup& group);
  /// Gives the last delta to the sink; at least one. Call it once, at the end.
  Result<void> Close();
  uint64_t entries() const { return entries_; }

 private:
  Result<void> CloseWhenFull();

  Delta empty_;
  Delta open_;
  Sink sink_;
  size_t bytes_ = 0;  ///< upper bound for what is in open_
  uint64_t entries_ = 0;
};

/// The delta that ends an unfinished beginning. `begun` is one of its deltas, and counts all
/// entries (entries_live).
Delta EndOfBeginning(Delta begun);

/// The result is for the changelog, after `last`, its newest delta. It keeps seq, the watermark and
/// the progress of the inputs, and replaces all entries by the entries of `records`. The records
/// are unique ones of the lane, fingerprinted under `options`, in the order of their seq. They are
/// not compared with each other, so that none is lost. At most entries_max, all comparable, and no
/// event time before HorizonAfter. Only the first delta is fresh. `groups`: the groups of the
/// records that were copied; NumberedGroup::number is the place of the original in `records`.
Result<std::vector<Delta>> FreshDeltas(const FilterOptions& options, const Delta& last,
                                       std::span<const FingerprintedRecord> records,
                                       std::span<const NumberedGroup> groups = {});

}  // namespace neardup
