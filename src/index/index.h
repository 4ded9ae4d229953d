// The entries that are remembered, and which of them is nearest to a fingerprint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/search.h"
#include "neardup/entry.h"

namespace neardup {

struct IndexOptions {
  MatchOptions match;
  /// Entries that are live at a time, about. It fixes the size of the table of text keys, and so
  /// what has room there, and the tables of buckets.
  uint64_t entries_max = 1'000'000;
  /// Other tables than those of BlockLayout::For; with neighbours only four blocks.
  std::optional<BlockLayout> layout = {};
  /// Number of the first entry.
  uint64_t begin_id = 0;
};

/// Entries in order of arrival under 64-bit running numbers; the live ones are
/// [begin_id, end_id). An entry is a match when it is exact or Accepts (accept.h) says so, and it
/// is met. Met is
/// - every entry within GuaranteedDistance of the simhash (layout.h);
/// - every entry that is remembered under a text key of the query, unless a later one that was
///   inserted without room (ChooseKeys) has taken its place.
/// Exact is an entry of equal simhash and order, and of equal `exact`; of that 16 bits are kept,
/// but all where nothing but equal records match (distance_max 0). Equal `exact` must mean equal
/// `simhash` and `order`. One owner thread; the const look-ups may run on any number of threads
/// between its changes.
///
/// Nothing is ever moved or rebuilt as a whole: a call takes microseconds at any size, but for the
/// constructor, which takes the memory of the tables, and EndLoad.
class Index {
 public:
  explicit Index(const IndexOptions& options);

  /// The first of `probed` that have room: what Entry::text_keys of an entry about to be inserted
  /// should be. Depends on nothing but the live entries with their keys, and entries_max.
  StoredKeys ChooseKeys(const ProbedKeys& probed);
  /// Returns the entry's number. At most 2^32 - 1 entries are live.
  uint64_t Insert(const Entry& entry);
  /// Many, each at less cost.
  void Insert(std::span<const Entry> entries);
  /// Between these two entries are only inserted and expired, into an index that was empty, and
  /// nothing is looked up: many are then taken at less cost still. EndLoad takes as long as there
  /// are entries, on as many threads as there are processors and tables.
  void BeginLoad();
  void EndLoad();
  /// Forgets the newest entries, which are to be given as they were inserted, the newest last;
  /// their numbers are given again.
  void Rollback(std::span<const Entry> newest);
  /// Forgets the oldest entries, those below `begin_id`.
  void Expire(uint64_t begin_id);

  /// Fetches what a look-up and an insertion of these will touch into the processor's cache.
  void Prefetch(const Fingerprint& fingerprint, const ProbedKeys& text_keys) const {
    PrefetchFor(parts_, fingerprint, text_keys);
  }
  /// The best match.
  std::optional<EntryMatch> FindNearest(const IndexQuery& query);
  /// The same for many, which costs less for each.
  void FindNearest(std::span<const IndexQuery> queries, std::span<Nearest> found) const {
    neardup::FindNearest(parts_, queries, found);
  }
  /// All that are met and match, the best one first.
  std::vector<EntryMatch> FindAll(const IndexQuery& query) const {
    return neardup::FindAll(parts_, query);
  }

  /// The match that an EntryMatch of a live entry names.
  Match MatchOf(const EntryMatch& found) const {
    const StoredEntry& found_entry = entry(found.id);
    return {found_entry.origin(), found_entry.time_ms(), found.distance, found.kind};
  }

  const StoredEntry& entry(uint64_t id) const { return parts_.entries[id]; }
  int64_t time_ms(uint64_t id) const { return entry(id).time_ms(); }
  uint64_t begin_id() const { return parts_.entries.begin_id(); }
  uint64_t end_id() const { return parts_.entries.end_id(); }
  uint64_t size() const { return parts_.entries.size(); }
  /// All memory held.
  uint64_t bytes() const;
  /// Most that bytes() can come to while never more than `live_max` entries are live.
  static uint64_t BytesMax(const IndexOptions& options, uint64_t live_max);
  /// Comparisons of all look-ups of single queries so far; an entry counts once for each table and
  /// each text key it was met by.
  uint64_t candidates() const { return candidates_; }
  /// Reads every bucket.
  IndexStatistics Statistics() const;

 private:
  void InsertKeys(const Entry& entry, uint32_t id);
  void Mark(const Entry& entry);
  void InsertBlocks(uint64_t simhash, uint32_t id);
  void FetchBuckets(uint64_t simhash) const;
  void FetchNewest(uint64_t simhash) const;
  void FetchKeys(const Entry& entry) const;
  void Load(size_t table);
  void SweepNext();

  IndexParts parts_;
  NewestMarks marks_;
  bool has_forgotten_ = false;  ///< so that there is something to sweep
  uint32_t swept_ = 0;          ///< next bucket to be swept, of all tables
  uint64_t unswept_ = 0;        ///< insertions since a bucket was swept
  uint64_t candidates_ = 0;
  bool loading_ = false;
  uint64_t keys_refused_ = 0;
};

}  // namespace neardup
