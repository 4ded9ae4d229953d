// The entries that are remembered, and which of them is nearest to a fingerprint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/block_table.h"
#include "index/entry_store.h"
#include "index/key_table.h"
#include "neardup/filter.h"
#include "neardup/verdict.h"

namespace neardup {

struct IndexOptions {
  MatchOptions match;
  /// Entries that are live at a time, about. It fixes the size of the table of text keys, and so
  /// what has room there.
  uint64_t entries_max = 1'000'000;
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
/// [begin_id, end_id). An entry is a match when it is exact or Accepts (accept.h) says so, and it
/// is met. Met is
/// - every entry within GuaranteedDistance of the simhash, by the pigeonhole principle: cut into
/// two
///   halves of two 16-bit blocks, 3 errors leave a half with at most one of them, so one of its
///   blocks is equal and the other one has at most one error (Manku, Jain, Das Sarma 2007, with the
///   second block as a filter in the posting). Up to 7 errors leave a half with at most 3, so one
///   of its blocks has at most one, and the other one what is left of the 3;
/// - every entry that is remembered under a text key of the query, unless a later one that was
///   inserted without room (ChooseKeys) has taken its place.
/// Exact is an entry of equal simhash and order, and of equal `exact`; of that 16 bits are kept,
/// but all where nothing but equal records match (distance_max 0). Equal `exact` must mean equal
/// `simhash` and `order`. One owner thread.
///
/// Nothing is ever moved or rebuilt as a whole: a call takes microseconds at any size.
class Index {
 public:
  explicit Index(const IndexOptions& options);

  /// The first of `probed` that have room: what Entry::text_keys of an entry about to be inserted
  /// should be. Depends on nothing but the live entries with their keys, and entries_max.
  StoredKeys ChooseKeys(const ProbedKeys& probed) const;
  /// Returns the entry's number. At most 2^32 - 1 entries are live.
  uint64_t Insert(const Entry& entry);
  /// Forgets the newest entries, which are to be given as they were inserted, the newest last;
  /// their numbers are given again.
  void Rollback(std::span<const Entry> newest);
  /// Forgets the oldest entries, those below `begin_id`.
  void Expire(uint64_t begin_id);

  /// Fetches what a look-up and an insertion of these will touch into the processor's cache.
  void Prefetch(const Fingerprint& fingerprint, const ProbedKeys& text_keys) const;
  /// The best match: exact before near, then the smallest sum of both distances, then the oldest.
  std::optional<Match> FindNearest(const IndexQuery& query);

  const StoredEntry& entry(uint64_t id) const { return entries_[id]; }
  uint64_t begin_id() const { return entries_.begin_id(); }
  uint64_t end_id() const { return entries_.end_id(); }
  uint64_t size() const { return entries_.size(); }
  /// All memory held.
  uint64_t bytes() const;
  /// Most that bytes() can come to while never more than `live_max` entries are live, and
  /// entries_max is at most that.
  static uint64_t BytesMax(const MatchOptions& match, uint64_t live_max);
  /// Comparisons of all look-ups so far; an entry counts once for each block it was met by, and
  /// once for its text keys.
  uint64_t candidates() const { return candidates_; }

 private:
  /// An entry met by text keys, and by how many.
  struct KeyHit {
    uint32_t id = 0;
    int shared_keys = 0;
  };
  /// A look-up while it runs.
  struct Search;

  LiveIds live() const;
  uint64_t FullId(uint32_t id) const;
  Fingerprint Kept(const Fingerprint& fingerprint) const;
  void ScanKeys(const ProbedKeys& probed);
  void ScanBlocks(Search& search);
  void ScanBlock(size_t table, uint16_t block, int partner_errors, Search& search);
  void CompareMet(Search& search);
  void Compare(uint32_t id, int shared_keys, Search& search);
  void SweepNext();

  MatchOptions match_;
  EntryStore entries_;
  std::vector<BlockTable> tables_;
  std::optional<KeyTable> text_keys_;
  std::vector<KeyHit> key_hits_;  ///< of one look-up
  uint32_t swept_ = 0;            ///< next bucket to be swept, of all tables
  uint64_t unswept_ = 0;          ///< insertions since a bucket was swept
  uint64_t candidates_ = 0;
};

}  // namespace neardup
