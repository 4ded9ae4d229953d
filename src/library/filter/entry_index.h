// The entries that a filter remembers, and the look-ups among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "neardup/entry.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/verdict.h"
#include "schemes/scheme.h"

namespace neardup {

/// The one place where the filter's own scheme (NearEntries) and the comparison schemes
/// (SketchEntries) part. Times passed to it must be clamped already. One thread at a time; const
/// members may run on any number of threads while no other member runs.
class EntryIndex {
 public:
  /// Entries that Forget dropped.
  struct Forgotten {
    uint64_t evicted = 0;  ///< beyond capacity, while still inside the window
    uint64_t expired = 0;  ///< older than the horizon
  };

  /// `scheme`: nullptr for the filter's own.
  static std::unique_ptr<EntryIndex> New(const FilterOptions& options,
                                         std::shared_ptr<const Scheme> scheme);
  virtual ~EntryIndex() = default;

  /// Prefetches what the records that follow records[next] closely will read. Does nothing with a
  /// comparison scheme.
  virtual void Prefetch(std::span<const FingerprintedRecord> records, size_t next) const = 0;
  /// Looks up many records; event times after `time_max_ms` count as `time_max_ms`. With a
  /// comparison scheme it looks up nothing, and FindNearest does all the work.
  virtual void LookUp(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
                      std::span<LookedUp> found) const = 0;
  /// Finds the best match. While the result of `ahead` still holds, only newer entries are looked
  /// up.
  virtual std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                           const LookedUp& ahead) = 0;
  /// Returns all matches, the best first.
  virtual std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms) const = 0;

  /// Inserts a record, and returns the entry that remembers it.
  virtual Entry Remember(const FingerprintedRecord& record, int64_t time_ms) = 0;
  /// Inserts entries that were remembered before, in their order.
  virtual void Restore(std::span<const Entry> entries) = 0;
  /// Many are restored faster between these two: see Index::BeginLoad.
  virtual void BeginRestore() = 0;
  virtual void EndRestore() = 0;
  /// From now on, look-ups find nothing that a Forget of this moment would drop. Until that Forget,
  /// a Rollback brings it back.
  virtual void Hide(int64_t horizon_ms) = 0;
  /// Forgets the newest entries. `newest` must be these entries in the order of their insertion.
  virtual void Rollback(std::span<const Entry> newest) = 0;
  /// Drops the oldest entries: those beyond capacity, and then those older than the horizon. The
  /// `kept` newest entries are not dropped, and do not count for the capacity.
  /// Calling it more or less often does not change which entries are left in the end.
  virtual void Forget(int64_t horizon_ms, size_t kept) = 0;
  /// As Filter::KeepForgotten and Filter::TakeForgotten.
  virtual void KeepForgotten() = 0;
  virtual std::vector<ForgottenRecord> TakeForgotten() = 0;

  virtual uint64_t size() const = 0;
  /// As Filter::begin_number and Filter::end_number.
  virtual uint64_t begin_number() const = 0;
  virtual uint64_t end_number() const = 0;
  virtual const Forgotten& forgotten() const = 0;
  /// INT64_MIN when empty.
  virtual int64_t oldest_time_ms() const = 0;
  virtual uint64_t bytes() const = 0;
  /// Comparisons made by all look-ups so far. Those of LookUp count when FindNearest uses its
  /// result.
  virtual uint64_t candidates() const = 0;
  /// Text keys that were not stored, because their line was full. 0 with a comparison scheme.
  virtual uint64_t keys_refused() const = 0;
  /// nullopt with a comparison scheme.
  virtual std::optional<IndexStatistics> Statistics() const = 0;
};

}  // namespace neardup
