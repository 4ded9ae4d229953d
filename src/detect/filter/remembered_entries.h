// The entries that a filter remembers, and the look-ups among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "detect/index/index.h"
#include "neardup/entry.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/verdict.h"

namespace neardup {

/// The entries of an Index, and the rules which of them a look-up may find and a commit forgets.
/// LookUp does most of the work for a batch; FindNearest looks among the entries that came since.
/// Times passed to it must be clamped already. One thread at a time; const members may run on any
/// number of threads while no other member runs.
class RememberedEntries {
 public:
  /// Entries that Forget dropped.
  struct Forgotten {
    uint64_t evicted = 0;  ///< beyond capacity, while still inside the window
    uint64_t expired = 0;  ///< older than the horizon
  };

  explicit RememberedEntries(const FilterOptions& options);

  /// Upper bound of bytes() while at most `live_max` entries are live.
  static uint64_t BytesMax(const FilterOptions& options, uint64_t live_max);

  /// Prefetches what the records that follow records[next] closely will read.
  void Prefetch(std::span<const FingerprintedRecord> records, size_t next) const;
  /// Looks up many records; event times after `time_max_ms` count as `time_max_ms`.
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
  void BeginRestore() { index_.BeginLoad(); }
  void EndRestore() { index_.EndLoad(); }
  /// From now on, look-ups find nothing that a Forget of this moment would drop. Until that Forget,
  /// a Rollback brings it back.
  void Hide(int64_t horizon_ms) { visible_id_ = FirstLeft(horizon_ms, 0); }
  /// Forgets the newest entries. `newest` must be these entries in the order of their insertion.
  void Rollback(std::span<const Entry> newest);
  /// As Filter::SetRetired.
  void SetRetired(uint32_t input, bool retired);
  /// Drops the oldest entries: those beyond capacity, and then those older than the horizon. The
  /// `kept` newest entries are not dropped, and do not count for the capacity.
  /// Calling it more or less often does not change which entries are left in the end.
  void Forget(int64_t horizon_ms, size_t kept);
  /// As Filter::KeepForgotten and Filter::TakeForgotten.
  void KeepForgotten() { keeps_forgotten_ = true; }
  std::vector<ForgottenRecord> TakeForgotten() { return std::exchange(taken_, {}); }

  /// As Filter::begin_number and Filter::end_number.
  uint64_t begin_number() const { return index_.begin_id(); }
  uint64_t end_number() const { return index_.end_id(); }
  uint64_t size() const { return index_.size(); }
  const Forgotten& forgotten() const { return forgotten_; }
  /// INT64_MIN when empty.
  int64_t oldest_time_ms() const {
    return index_.size() == 0 ? INT64_MIN : index_.time_ms(index_.begin_id());
  }
  uint64_t bytes() const { return index_.bytes(); }
  /// Comparisons made by all look-ups so far. A comparison by LookUp counts when FindNearest uses
  /// the result.
  uint64_t candidates() const { return candidates_ahead_ + index_.candidates(); }
  /// Text keys that were not stored, because their line was full.
  uint64_t keys_refused() const { return index_.keys_refused(); }
  IndexStatistics Statistics() const { return index_.Statistics(); }

 private:
  IndexQuery QueryOf(const FingerprintedRecord& record, int64_t time_ms) const;
  bool StillHolds(const LookedUp& ahead, int64_t time_ms) const;
  void LookUpGroup(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
                   std::span<LookedUp> found) const;
  uint64_t FirstLeft(int64_t horizon_ms, size_t kept) const;

  const int64_t window_ms_;
  const uint64_t entries_max_;
  Index index_;
  uint64_t visible_id_ = 0;  ///< entries with smaller numbers are hidden
  Forgotten forgotten_;
  bool keeps_forgotten_ = false;
  std::vector<ForgottenRecord> taken_;  ///< forgotten since TakeForgotten
  /// Changes whenever a number may have been given to another entry. Never 0.
  uint64_t revision_ = 1;
  uint64_t candidates_ahead_ = 0;  ///< comparisons of the LookUp results that FindNearest used
};

}  // namespace neardup
