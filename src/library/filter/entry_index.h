// The entries that a filter remembers, and the look-ups among them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "index/index.h"
#include "index/sketch_index.h"
#include "neardup/entry.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/verdict.h"
#include "schemes/scheme.h"

namespace neardup {

/// Uses an Index for the filter's own scheme, and a SketchIndex for a comparison scheme. Times
/// passed to it must be clamped already. One thread at a time; const members may run on any number
/// of threads while no other member runs.
class EntryIndex {
 public:
  /// Entries that Forget dropped.
  struct Forgotten {
    uint64_t evicted = 0;  ///< beyond capacity, while still inside the window
    uint64_t expired = 0;  ///< older than the horizon
  };

  /// `scheme`: nullptr for the filter's own.
  EntryIndex(const FilterOptions& options, std::shared_ptr<const Scheme> scheme);

  /// Prefetches what the records that follow records[next] closely will read. Does nothing with a
  /// comparison scheme.
  void Prefetch(std::span<const FingerprintedRecord> records, size_t next) const;
  /// Looks up many records; event times after `time_max_ms` count as `time_max_ms`. With a
  /// comparison scheme it looks up nothing, and FindNearest does all the work.
  void LookUp(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
              std::span<LookedUp> found) const;
  /// Finds the best match. While the result of `ahead` still holds, only newer entries are looked
  /// up.
  std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                   const LookedUp& ahead);
  /// Returns all matches, the best first.
  std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms) const;

  /// Inserts a record, and returns the entry that remembers it.
  Entry Remember(const FingerprintedRecord& record, int64_t time_ms);
  /// Inserts entries that were remembered before, in their order.
  void Restore(std::span<const Entry> entries);
  /// Many are restored faster between these two: see Index::BeginLoad.
  void BeginRestore();
  void EndRestore();
  /// From now on, look-ups find nothing that a Forget of this moment would drop. Until that Forget,
  /// a Rollback brings it back.
  void Hide(int64_t horizon_ms);
  /// Forgets the newest entries. `newest` must be these entries in the order of their insertion.
  void Rollback(std::span<const Entry> newest);
  /// Drops the oldest entries: those beyond capacity, and then those older than the horizon. The
  /// `kept` newest entries are not dropped, and do not count for the capacity.
  /// Calling it more or less often does not change which entries are left in the end.
  void Forget(int64_t horizon_ms, size_t kept);

  uint64_t size() const;
  const Forgotten& forgotten() const { return forgotten_; }
  /// INT64_MIN when empty.
  int64_t oldest_time_ms() const;
  uint64_t bytes() const;
  /// Upper bound of bytes() with the filter's own scheme, while at most `live_max` entries are
  /// live.
  static uint64_t BytesMax(const FilterOptions& options, uint64_t live_max);
  /// Comparisons made by all look-ups so far. Those of LookUp count when FindNearest uses its
  /// result.
  uint64_t candidates() const;
  /// Text keys that were not stored, because their line was full. 0 with a comparison scheme.
  uint64_t keys_refused() const;
  /// nullopt with a comparison scheme.
  std::optional<IndexStatistics> Statistics() const;

 private:
  IndexQuery QueryOf(const FingerprintedRecord& record, int64_t time_ms) const;
  bool StillHolds(const LookedUp& ahead, int64_t time_ms) const;
  /// The first entry that Forget would leave.
  template <class AnyIndex>
  uint64_t FirstLeft(const AnyIndex& index, int64_t horizon_ms, size_t kept) const;
  void LookUpGroup(const Index& index, std::span<const FingerprintedRecord> records,
                   int64_t time_max_ms, std::span<LookedUp> found) const;

  std::shared_ptr<const Scheme> scheme_;
  int64_t window_ms_;
  uint64_t entries_max_;
  std::variant<Index, SketchIndex> index_;
  Forgotten forgotten_;
  uint64_t visible_id_ = 0;  ///< entries with smaller numbers are hidden
  /// Changes whenever a number may have been given to another entry. Never 0.
  uint64_t revision_ = 1;
  uint64_t candidates_ahead_ = 0;  ///< comparisons of the LookUp results that FindNearest used
};

}  // namespace neardup
