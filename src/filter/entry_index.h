// The entries a filter remembers, and the look-ups among them, whichever scheme tells duplicates.
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

/// An Index for the filter's own scheme, a SketchIndex for any other. Times passed to it are
/// clamped already. One thread at a time; const members may run on any number of threads while no
/// other member does.
class EntryIndex {
 public:
  /// Entries that Forget dropped.
  struct Forgotten {
    uint64_t evicted = 0;  ///< beyond capacity, while still inside the window
    uint64_t expired = 0;  ///< older than the horizon
  };

  /// `scheme`: nullptr for the filter's own.
  EntryIndex(const FilterOptions& options, std::shared_ptr<const Scheme> scheme);

  /// Fetches what a look-up of the record will read into the processor's cache. Does nothing with
  /// another scheme.
  void Prefetch(const FingerprintedRecord& record) const;
  /// Looks up many records whose event times count as at most `time_max_ms`. With another scheme
  /// nothing is looked up: FindNearest does it all.
  void LookUp(std::span<const FingerprintedRecord> records, int64_t time_max_ms,
              std::span<LookedUp> found) const;
  /// The best match. What `ahead` found is not looked up again while it still holds.
  std::optional<Match> FindNearest(const FingerprintedRecord& record, int64_t time_ms,
                                   const LookedUp& ahead);
  /// All matches, the best first.
  std::vector<Match> FindAll(const FingerprintedRecord& record, int64_t time_ms) const;

  /// Inserts a record, and returns the entry that remembers it.
  Entry Remember(const FingerprintedRecord& record, int64_t time_ms);
  /// Inserts entries that were remembered before, in their order.
  void Restore(std::span<const Entry> entries);
  /// Many are restored faster between these two: see Index::BeginLoad.
  void BeginRestore();
  void EndRestore();
  /// Takes back the newest entries, given in the order in which they were inserted.
  void Rollback(std::span<const Entry> newest);
  /// Drops the oldest entries: those beyond capacity, and then those older than the horizon. What
  /// is left after a log of entries and horizons does not depend on when this was called.
  void Forget(int64_t horizon_ms);

  uint64_t size() const;
  const Forgotten& forgotten() const { return forgotten_; }
  /// INT64_MIN when empty.
  int64_t oldest_time_ms() const;
  uint64_t bytes() const;
  /// Most that bytes() can come to with the filter's own scheme, while never more than `live_max`
  /// entries are live.
  static uint64_t BytesMax(const FilterOptions& options, uint64_t live_max);
  /// Comparisons of all look-ups so far; those of LookUp count when FindNearest uses them.
  uint64_t candidates() const;
  /// nullopt with another scheme.
  std::optional<IndexStatistics> Statistics() const;

 private:
  IndexQuery QueryOf(const FingerprintedRecord& record, int64_t time_ms) const;
  bool StillHolds(const LookedUp& ahead, int64_t time_ms) const;
  void LookUpGroup(const Index& index, std::span<const FingerprintedRecord> records,
                   int64_t time_max_ms, std::span<LookedUp> found) const;

  std::shared_ptr<const Scheme> scheme_;
  int64_t window_ms_;
  uint64_t entries_max_;
  std::variant<Index, SketchIndex> index_;
  Forgotten forgotten_;
  /// Changes whenever an entry may have been given the number of another; never 0.
  uint64_t revision_ = 1;
  uint64_t candidates_ahead_ = 0;  ///< of the LookUp results that FindNearest used
};

}  // namespace neardup
