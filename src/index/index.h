// The entries that are remembered, and which of them is nearest to a fingerprint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "index/block_table.h"
#include "index/entry_ring.h"
#include "index/text_key_table.h"
#include "neardup/filter.h"
#include "neardup/verdict.h"

namespace neardup {

struct IndexOptions {
  MatchOptions match;
  /// Number of the first entry.
  uint64_t begin_id = 0;
};

/// What is looked for, and the rules an entry has to pass besides its distance.
struct IndexQuery {
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  /// Distinct tokens.
  uint32_t features = 0;
  /// An entry at this position never matches.
  Position position;
  /// An entry matches only if its time is at most `window_ms` (0 or more) before or after this.
  int64_t time_ms = 0;
  int64_t window_ms = INT64_MAX;
};

struct Match {
  uint64_t id = 0;
  int distance = 0;        ///< of the simhashes
  int order_distance = 0;  ///< of the order sketches
  MatchKind kind = MatchKind::kExact;

  bool operator==(const Match&) const = default;
};

/// Entries in order of arrival under 64-bit running numbers; the live ones are
/// [begin_id, end_id). An entry is a match when `exact` is equal or Accepts (accept.h) says so, and
/// it is met. Met is every entry within GuaranteedDistance, by the pigeonhole principle over the
/// four 16-bit blocks of the simhash: up to 3 errors leave a block without one, up to 7 leave a
/// block with at most one; and every entry that is remembered under a text key of the query.
/// Equal `exact` must mean equal `simhash`. One owner thread.
class Index {
 public:
  explicit Index(const IndexOptions& options);

  /// The first of `probed` that have room: what Entry::text_keys of an entry about to be inserted
  /// should be.
  StoredKeys ChooseKeys(const ProbedKeys& probed) const;
  /// Returns the entry's number. At most 2^32 - 1 entries are live.
  uint64_t Insert(const Entry& entry);
  /// Forgets the newest entries, those from `end_id` on; their numbers are given again.
  void Rollback(uint64_t end_id);
  /// Forgets the oldest entries, those below `begin_id`.
  void Expire(uint64_t begin_id);

  /// The best match: exact before near, then the smallest sum of both distances, then the oldest.
  std::optional<Match> FindNearest(const IndexQuery& query);

  const Entry& entry(uint64_t id) const { return entries_.entry(id); }
  uint64_t begin_id() const { return entries_.begin_id(); }
  uint64_t end_id() const { return entries_.end_id(); }
  uint64_t size() const { return entries_.size(); }
  /// All memory held.
  uint64_t bytes() const;
  /// Most that bytes() can come to while never more than `live_max` entries are live: fixed tables,
  /// a ring and a table of text keys that grow by doubling, and the slack of the buckets. While a
  /// part doubles, its old half is held besides.
  static uint64_t BytesMax(const MatchOptions& match, uint64_t live_max);
  /// Comparisons of all look-ups so far; an entry counts once for each way it was met.
  uint64_t candidates() const { return candidates_; }

 private:
  /// An entry met by text keys, and by how many.
  struct KeyHit {
    uint32_t id = 0;
    int shared_keys = 0;
  };

  static size_t Tables(const MatchOptions& match);
  LiveIds live() const;
  static bool UsesKeys(const MatchOptions& match) {
    return match.text_keys && match.distance_max > 0;
  }
  void SweepNext();
  void RemoveKeys(uint64_t id);
  void ScanBlock(size_t table, uint16_t block, const IndexQuery& query, std::optional<Match>& best);
  void ScanKeys(const IndexQuery& query, std::optional<Match>& best);
  void Compare(uint32_t id, int shared_keys, const IndexQuery& query, std::optional<Match>& best);

  MatchOptions match_;
  EntryRing entries_;
  std::vector<BlockTable> tables_;
  TextKeyTable text_keys_;
  std::vector<KeyHit> key_hits_;  ///< of one look-up
  uint32_t swept_ = 0;
  uint64_t candidates_ = 0;
};

}  // namespace neardup
