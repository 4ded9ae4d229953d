// The entries that are remembered, and which of them is nearest to a fingerprint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/block_table.h"
#include "index/entry_ring.h"
#include "neardup/filter.h"
#include "neardup/verdict.h"

namespace neardup {

struct IndexOptions {
  /// Range 0 (only equal `exact`) to 7.
  int distance_max = 3;
  /// Number of the first entry.
  uint64_t begin_id = 0;
};

/// What is looked for, and the rules an entry has to pass besides its distance.
struct IndexQuery {
  Fingerprint fingerprint;
  /// An entry at this position never matches.
  Position position;
  /// An entry matches only if its time is at most `window_ms` (0 or more) before or after this.
  int64_t time_ms = 0;
  int64_t window_ms = INT64_MAX;
};

struct Match {
  uint64_t id = 0;
  int distance = 0;
  MatchKind kind = MatchKind::kExact;

  bool operator==(const Match&) const = default;
};

/// Entries in order of arrival under 64-bit running numbers; the live ones are
/// [begin_id, end_id). Every entry within distance_max is found, by the pigeonhole principle over
/// the four 16-bit blocks of the simhash: up to 3 errors leave a block without one, up to 7 leave a
/// block with at most one. Equal `exact` must mean equal `simhash`. One owner thread.
class Index {
 public:
  explicit Index(const IndexOptions& options);

  /// Returns the entry's number. At most 2^32 - 1 entries are live.
  uint64_t Insert(const Entry& entry);
  /// Forgets the newest entries, those from `end_id` on; their numbers are given again.
  void Rollback(uint64_t end_id);
  /// Forgets the oldest entries, those below `begin_id`.
  void Expire(uint64_t begin_id);

  /// The best match: exact before near, then the smallest distance, then the oldest.
  std::optional<Match> FindNearest(const IndexQuery& query);

  const Entry& entry(uint64_t id) const { return entries_.entry(id); }
  uint64_t begin_id() const { return entries_.begin_id(); }
  uint64_t end_id() const { return entries_.end_id(); }
  uint64_t size() const { return entries_.size(); }
  /// All memory held.
  uint64_t bytes() const;
  /// Comparisons of all look-ups so far; an entry counts once for each bucket it was met in.
  uint64_t candidates() const { return candidates_; }

 private:
  LiveIds live() const;
  void SweepNext();
  void Scan(size_t table, uint16_t block, const IndexQuery& query, std::optional<Match>& best);

  int distance_max_;
  EntryRing entries_;
  std::vector<BlockTable> tables_;
  uint32_t swept_ = 0;
  uint64_t candidates_ = 0;
};

}  // namespace neardup
