// The entries that are remembered, whatever tells duplicates: the seam between the filter's window
// and the indexes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "neardup/filter.h"
#include "schemes/scheme.h"

namespace neardup {

/// Entries in order of arrival under 64-bit running numbers; the live ones are
/// [begin_id, end_id).
class EntryIndex {
 public:
  virtual ~EntryIndex() = default;

  /// Fetches what a look-up of the record will read into the processor's cache, where that pays.
  virtual void Prefetch(const FingerprintedRecord&) const {}
  /// Looks records up ahead, where that pays; their times count as `time_max_ms` at most. Sets all
  /// but the revision, and that to 0 where nothing was looked up.
  virtual void LookUp(std::span<const FingerprintedRecord>, int64_t /*time_max_ms*/,
                      int64_t /*window_ms*/, std::span<LookedUp> found) const {
    std::fill(found.begin(), found.end(), LookedUp());
  }
  /// The best match of another position than the record's, whose time is at most `window_ms` before
  /// or after `time_ms`. `ahead`: what LookUp found of it, if that still holds for the entries
  /// before its end_id.
  virtual std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                           int64_t window_ms, const LookedUp* ahead) = 0;
  /// All matches, the best first.
  virtual std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms,
                                     int64_t window_ms) const = 0;
  /// What is remembered of a record when it is inserted now.
  virtual Entry MakeEntry(const FingerprintedRecord& record, int64_t time_ms) = 0;
  virtual void Insert(std::span<const Entry> entries) = 0;
  /// Between these entries are only inserted and expired: see Index::BeginLoad.
  virtual void BeginLoad() {}
  virtual void EndLoad() {}
  /// Forgets the newest entries, given as they were inserted; their numbers are given again.
  virtual void Rollback(std::span<const Entry> newest) = 0;
  /// Forgets the oldest entries, those below `begin_id`.
  virtual void Expire(uint64_t begin_id) = 0;

  virtual int64_t time_ms(uint64_t id) const = 0;
  virtual uint64_t begin_id() const = 0;
  virtual uint64_t end_id() const = 0;
  virtual uint64_t bytes() const = 0;
  virtual uint64_t candidates() const = 0;
  virtual std::optional<IndexStatistics> Statistics() const { return std::nullopt; }
};

/// By simhash and text keys: the filter's own scheme.
std::unique_ptr<EntryIndex> NewFingerprintEntries(const FilterOptions& options);
/// By the sketches of another scheme.
std::unique_ptr<EntryIndex> NewSketchEntries(std::shared_ptr<const Scheme> scheme);

}  // namespace neardup
