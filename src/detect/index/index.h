// Remembers entries, and finds the one nearest to a fingerprint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "detect/index/search.h"
#include "neardup/entry.h"

namespace neardup {

struct IndexOptions {
  MatchOptions match;
  /// About how many entries are live at a time. Fixes the number of buckets, and the size of the
  /// table of text keys and so which keys have room.
  uint64_t entries_max = 1'000'000;
  /// Replaces BlockLayout::For. With neighbours it must be FourBlocks or Equal.
  std::optional<BlockLayout> layout = {};
  /// Number of the first entry.
  uint64_t begin_id = 0;
};

/// Entries in order of arrival, numbered consecutively in 64 bits; the live ones are
/// [begin_id, end_id). A look-up compares its query with the candidates:
/// - every entry within GuaranteedDistance of the simhash (block_layout.h);
/// - every entry that is remembered under a text key of the query, unless a later entry, inserted
///   under keys without room (see ChooseKeys), has taken its place.
/// A candidate is a match if it is exact or if Accepts (match.h) accepts it, its position is not
/// the query's, and its event time is inside the window.
///
/// An entry is exact if its simhash, order and `exact` equal the query's. Of `exact` only 16 bits
/// are kept, or all 64 if only equal records match (distance_max 0). Records with equal `exact`
/// must have equal simhash and order.
///
/// One owner thread. The const look-ups may run on any number of threads between its changes.
///
/// Nothing is ever moved or rebuilt as a whole: a call takes microseconds at any size, except the
/// constructor, which takes the memory of the tables, and EndLoad.
class Index {
 public:
  explicit Index(const IndexOptions& options);

  /// Chooses Entry::text_keys for an entry that is about to be inserted: the first of `probed` that
  /// have room. Depends only on the live entries, their keys, and entries_max.
  StoredKeys ChooseKeys(const ProbedKeys& probed);
  /// Returns the entry's number. At most 2^32 - 1 entries may be live.
  uint64_t Insert(const Entry& entry);
  /// Inserts many entries, at less cost per entry.
  void Insert(std::span<const Entry> entries);
  /// Many entries are inserted fastest between BeginLoad and EndLoad. The index must be empty
  /// before; in between, entries may only be inserted and expired, and nothing may be looked up.
  /// EndLoad takes time in proportion to the number of entries, and uses one thread per processor,
  /// at most one per table.
  void BeginLoad();
  void EndLoad();
  /// Forgets the newest entries. `newest` must be these entries as they were inserted, the newest
  /// last. Their numbers are used again.
  void Rollback(std::span<const Entry> newest);
  /// Forgets the oldest entries: those with numbers below `begin_id`.
  void Expire(uint64_t begin_id);

  /// The entries of a retired input never match.
  void SetRetired(uint32_t input, bool retired);

  /// Prefetches what an insertion of such a record, and a look-up among the newest entries, read
  /// first.
  void PrefetchFirst(const Fingerprint& fingerprint, const ProbedKeys& text_keys) const;
  /// Prefetches what both read after that. Call it some time after PrefetchFirst, because it reads
  /// what that function has prefetched.
  void PrefetchPostings(const Fingerprint& fingerprint) const { FetchNewest(fingerprint.simhash); }
  /// Finds the best match.
  std::optional<EntryMatch> FindNearest(const IndexQuery& query);
  /// Finds the best match of each query, at less cost per query. found[i] belongs to queries[i].
  void FindNearest(std::span<const IndexQuery> queries, std::span<Nearest> found) const {
    neardup::FindNearest(parts_, queries, found);
  }
  /// Returns all matches but the suspect ones, the best first.
  std::vector<EntryMatch> FindAll(const IndexQuery& query) const {
    return neardup::FindAll(parts_, query);
  }

  /// Describes a match of a live entry by position and event time.
  Match MatchOf(const EntryMatch& found) const {
    const StoredEntry& found_entry = entry(found.id);
    return {found_entry.origin(), found_entry.time_ms(), found.distance,
            found.kind,           found.suspect,         found.id};
  }

  const StoredEntry& entry(uint64_t id) const { return parts_.entries[id]; }
  int64_t time_ms(uint64_t id) const { return entry(id).time_ms(); }
  Position origin(uint64_t id) const { return entry(id).origin(); }
  uint64_t begin_id() const { return parts_.entries.begin_id(); }
  uint64_t end_id() const { return parts_.entries.end_id(); }
  uint64_t size() const { return parts_.entries.size(); }
  /// All memory held, in bytes.
  uint64_t bytes() const;
  /// Upper bound of bytes() while at most `live_max` entries are live.
  static uint64_t BytesMax(const IndexOptions& options, uint64_t live_max);
  /// Comparisons made so far by look-ups of single queries. An entry counts once for each table and
  /// each text key through which it was met.
  uint64_t candidates() const { return candidates_; }
  /// Text keys that were not stored, because their line was full.
  uint64_t keys_refused() const { return keys_refused_; }
  /// Reads every bucket.
  IndexStatistics Statistics() const;

 private:
  void InsertKeys(const Entry& entry, uint32_t id);
  void Mark(const Entry& entry);
  void InsertBlocks(uint64_t simhash, uint32_t id);
  void FetchBuckets(uint64_t simhash) const;
  void FetchNewest(uint64_t simhash) const;
  void FetchKeys(std::span<const uint32_t> keys) const;
  void Load(size_t table);
  void SweepNext();

  IndexParts parts_;
  NewestMarks marks_;
  bool has_forgotten_ = false;  ///< there may be dead postings to sweep
  uint32_t swept_ = 0;          ///< next bucket to sweep, counted over all tables
  uint64_t unswept_ = 0;        ///< insertions since the last bucket was swept
  uint64_t candidates_ = 0;
  bool loading_ = false;
  uint64_t keys_refused_ = 0;
};

}  // namespace neardup
