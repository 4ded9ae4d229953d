#include "detect/index/search.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "detect/index/processor.h"

namespace neardup {
namespace {

/// The better half of a simhash has at most this many errors, out of 3 and out of 7 in all.
constexpr int kHalfErrors = 1;
constexpr int kHalfErrorsOfNeighbours = 3;
/// Length of the lists of reads that are put off until the processor's cache has their data.
constexpr size_t kPutOffMax = 512;
/// Number of queries that take a step together. A step must last long enough for the cache lines
/// that the previous step prefetched to arrive. With neighbours a query reads many more buckets.
constexpr size_t kGroup = 8;
constexpr size_t kGroupWithNeighbours = 2;

/// Calls `visit` with each bucket to read in a table, and the number of errors a tag may have
/// there.
template <class Visit>
void ForEachBucketOf(const IndexParts& parts, uint64_t simhash, size_t table, const Visit& visit) {
  const uint32_t own = parts.layout.BucketOf(simhash, table);
  if (!parts.match.neighbours) {
    visit(own, kHalfErrors);
    return;
  }
  visit(own, kHalfErrorsOfNeighbours);
  for (uint32_t flipped = 1; flipped < parts.layout.buckets(); flipped <<= 1) {
    visit(own ^ flipped, kHalfErrorsOfNeighbours - 1);
  }
}

/// The live entries among those that the query asks for.
LiveIds Asked(const IndexParts& parts, const IndexQuery& query) {
  const uint64_t begin_id = std::max(query.since_id, parts.entries.begin_id());
  if (begin_id >= parts.entries.end_id()) return {};
  return {static_cast<uint32_t>(begin_id),
          static_cast<uint32_t>(parts.entries.end_id() - begin_id)};
}

/// Whether an entry with a near tag is a candidate in every layout.
bool IsMet(const IndexParts& parts, uint64_t simhash, uint32_t id) {
  return !parts.layout.is_coarse() ||
         BlockLayout::HasHalf(simhash, parts.entries[parts.FullId(id)].simhash());
}

/// Decides whether a candidate is a match.
class Comparison {
 public:
  explicit Comparison(const IndexParts& parts)
      : parts_(parts),
        distance_max_(DistanceMax(parts.match)),
        suspect_rule_(SuspectRule(parts.match)) {}

  std::optional<EntryMatch> operator()(const IndexQuery& query, uint32_t id,
                                       const StoredEntry& entry) const {
    const int distance = BitCount(entry.simhash() ^ query.fingerprint.simhash);
    if (distance > distance_max_) return std::nullopt;  // as it is for most candidates
    const Fingerprint sought = parts_.Kept(query.fingerprint);
    EntryMatch match{parts_.FullId(id), distance, BitCount(entry.order() ^ sought.order),
                     MatchKind::kExact};
    if (!entry.IsExact(sought)) {
      match.kind = MatchKind::kNear;
      if (!Judge(query, id, match)) return std::nullopt;
    }
    const Position origin = entry.origin();
    if (origin == query.position || parts_.IsRetired(origin.input)) return std::nullopt;
    const int64_t time_ms = StoredEntry::KeptTime(query.time_ms);
    if (!WithinWindow(entry.time_ms(), time_ms, query.window_ms)) return std::nullopt;
    return match;
  }

 private:
  /// Whether the entry is near enough, at least for a suspect.
  bool Judge(const IndexQuery& query, uint32_t id, EntryMatch& match) const {
    return JudgeDistances(query, id, match) &&
           NumbersAgree(parts_.match,
                        ConflictBits(query.fingerprint.numbers, parts_.entries.numbers(match.id)),
                        query.features);
  }
  /// The same, as if no numbers conflicted. They take a read of memory that few candidates need.
  bool JudgeDistances(const IndexQuery& query, uint32_t id, EntryMatch& match) const {
    Nearness nearness{match.distance, match.order_distance, 0, query.features};
    if (Accepts(parts_.match, nearness)) return true;
    if (parts_.text_keys) {
      parts_.text_keys->ForEach(query.text_keys.keys(), {id, 1},
                                [&](uint32_t) { ++nearness.shared_keys; });
      if (Accepts(parts_.match, nearness)) return true;
    }
    match.suspect = suspect_rule_ && Accepts(*suspect_rule_, nearness);
    return match.suspect;
  }

  const IndexParts& parts_;
  const int distance_max_;
  const std::optional<MatchOptions> suspect_rule_;
};

/// Runs queries in groups through a pipeline of five steps: prefetch buckets and lines of text
/// keys; prefetch tags; find near tags and prefetch the entry numbers; read the numbers and
/// prefetch the entries; compare the entries.
template <class Sink>
class Search {
 public:
  /// Calls `sink` for every comparison, with the number of the query and the match, if it is one.
  /// An entry may be compared several times for a query, and the order is arbitrary.
  Search(const IndexParts& parts, std::span<const IndexQuery> queries, const Sink& sink)
      : parts_(parts), tables_(parts.tables), queries_(queries), sink_(sink), comparison_(parts) {}

  void Run() {
    const size_t group = parts_.match.neighbours ? kGroupWithNeighbours : kGroup;
    const auto for_each_of_group = [&](size_t number, const auto& work) {
      const size_t end = std::min(queries_.size(), (number + 1) * group);
      for (size_t i = number * group; i < end; ++i) work(i);
    };
    const size_t groups = (queries_.size() + group - 1) / group;
    for (size_t step = 0; step < groups + 4; ++step) {
      for_each_of_group(step, [&](size_t i) { FetchFirst(queries_[i]); });
      if (step >= 1) for_each_of_group(step - 1, [&](size_t i) { FetchPostings(queries_[i]); });
      MeetNear(near_[1 - turn_]);
      if (step >= 2) for_each_of_group(step - 2, [&](size_t i) { Meet(i); });
      CompareMet(met_[1 - turn_]);
      turn_ = 1 - turn_;
    }
  }

 private:
  /// An entry with a near tag; `id` points to its number.
  struct Near {
    uint32_t query;
    const uint32_t* id;
  };
  /// A candidate of a query. The same entry may be met through several tables and text keys.
  struct Met {
    uint32_t query;
    uint32_t id;
    const StoredEntry* entry;
  };
  template <class One>
  struct List {
    std::array<One, kPutOffMax> ones;
    size_t size = 0;
  };

  /// Calls `visit` with the table, the bucket and the number of errors a tag may have there.
  template <class Visit>
  void ForEachBucket(uint64_t simhash, const Visit& visit) const {
    for (size_t table = 0; table < tables_.size(); ++table) {
      ForEachBucketOf(parts_, simhash, table,
                      [&](uint32_t bucket, int errors) { visit(table, bucket, errors); });
    }
  }

  void FetchFirst(const IndexQuery& query) const {
    ForEachBucket(query.fingerprint.simhash, [&](size_t table, uint32_t bucket, int) {
      tables_[table].PrefetchBucket(bucket);
    });
    if (!parts_.text_keys) return;
    for (const uint32_t key : query.text_keys.keys()) parts_.text_keys->Prefetch(key);
  }
  void FetchPostings(const IndexQuery& query) const {
    ForEachBucket(query.fingerprint.simhash, [&](size_t table, uint32_t bucket, int) {
      tables_[table].PrefetchTags(bucket);
      if (!parts_.match.neighbours) tables_[table].PrefetchNewest(bucket);
    });
  }
  void Meet(size_t number) {
    const IndexQuery& query = queries_[number];
    const LiveIds asked = Asked(parts_, query);
    if (asked.count == 0) return;
    if (parts_.text_keys) {
      parts_.text_keys->ForEach(query.text_keys.keys(), asked,
                                [&](uint32_t id) { AddMet(number, id); });
    }
    const uint64_t simhash = query.fingerprint.simhash;
    ForEachBucket(simhash, [&](size_t table, uint32_t bucket, int errors) {
      tables_[table].ForEachNear(bucket, parts_.layout.TagOf(simhash, table), errors,
                                 [&](const uint32_t* id) { AddNear(number, id); });
    });
  }
  void AddNear(size_t query, const uint32_t* id) {
    List<Near>& near = near_[turn_];
    if (near.size == kPutOffMax) MeetNear(near);
    FetchLine(id);
    near.ones[near.size++] = {static_cast<uint32_t>(query), id};
  }
  void MeetNear(List<Near>& near) {
    for (size_t i = 0; i < near.size; ++i) {
      const Near& one = near.ones[i];
      const IndexQuery& query = queries_[one.query];
      if (Asked(parts_, query).Holds(*one.id) &&
          IsMet(parts_, query.fingerprint.simhash, *one.id)) {
        AddMet(one.query, *one.id);
      }
    }
    near.size = 0;
  }
  void AddMet(size_t query, uint32_t id) {
    List<Met>& met = met_[turn_];
    if (met.size == kPutOffMax) CompareMet(met);
    const uint64_t full_id = parts_.FullId(id);
    parts_.entries.Fetch(full_id);
    met.ones[met.size++] = {static_cast<uint32_t>(query), id, &parts_.entries[full_id]};
  }
  void CompareMet(List<Met>& met) {
    for (size_t i = 0; i < met.size; ++i) {
      const Met& one = met.ones[i];
      sink_(one.query, comparison_(queries_[one.query], one.id, *one.entry));
    }
    met.size = 0;
  }

  const IndexParts& parts_;
  const std::span<const BlockTable> tables_;
  const std::span<const IndexQuery> queries_;
  const Sink& sink_;
  const Comparison comparison_;
  /// The work that this step leaves to the next step, and the work that the previous one left to
  /// it.
  std::array<List<Near>, 2> near_;
  std::array<List<Met>, 2> met_;
  size_t turn_ = 0;
};

void KeepBest(Nearest& nearest, const std::optional<EntryMatch>& compared) {
  ++nearest.candidates;
  if (compared && (!nearest.match || Better(*compared, *nearest.match))) nearest.match = compared;
}

}  // namespace

void FindNearest(const IndexParts& parts, std::span<const IndexQuery> queries,
                 std::span<Nearest> found) {
  assert(queries.size() == found.size());
  std::fill(found.begin(), found.end(), Nearest());
  const auto keep_best = [found](size_t query, const std::optional<EntryMatch>& compared) {
    KeepBest(found[query], compared);
  };
  Search(parts, queries, keep_best).Run();
}

Nearest FindNearestMarked(const IndexParts& parts, const NewestMarks& marks,
                          const IndexQuery& query) {
  assert(query.since_id >= marks.begin_id());
  Nearest nearest;
  const LiveIds asked = Asked(parts, query);
  const Comparison comparison(parts);
  const auto compare = [&](uint32_t id) {
    KeepBest(nearest, comparison(query, id, parts.entries[parts.FullId(id)]));
  };
  if (parts.text_keys) {
    for (const uint32_t& key : query.text_keys.keys()) {
      if (marks.MayHaveKey(key)) parts.text_keys->ForEach({&key, 1}, asked, compare);
    }
  }
  const uint64_t simhash = query.fingerprint.simhash;
  for (size_t table = 0; table < parts.tables.size(); ++table) {
    ForEachBucketOf(parts, simhash, table, [&](uint32_t bucket, int errors) {
      if (!marks.MayHaveBucket(table, bucket)) return;
      parts.tables[table].ForEachNearAmong(asked, bucket, parts.layout.TagOf(simhash, table),
                                           errors, [&](uint32_t id) {
                                             if (IsMet(parts, simhash, id)) compare(id);
                                           });
    });
  }
  return nearest;
}

std::vector<EntryMatch> FindAll(const IndexParts& parts, const IndexQuery& query) {
  std::vector<EntryMatch> all;
  const auto add = [&all](size_t, const std::optional<EntryMatch>& match) {
    if (match && !match->suspect) all.push_back(*match);
  };
  Search(parts, std::span(&query, 1), add).Run();
  std::sort(all.begin(), all.end(), Better);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace neardup
