#include "index/search.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <tuple>

#include "index/accept.h"

namespace neardup {
namespace {

/// Errors in the better half of a simhash, at most: with 3 in all, and with 7.
constexpr int kHalfErrors = 1;
constexpr int kHalfErrorsOfNeighbours = 3;
constexpr size_t kKeyHitsMax = ProbedKeys::kMax * KeyTable::kPostings;
/// Entries whose comparison is put off until the processor's cache has them.
constexpr size_t kMetMax = 256;
static_assert(kMetMax > kKeyHitsMax);

/// Queries between one step of a look-up and the next, long enough for the cache lines that are
/// fetched in between.
struct Lags {
  size_t postings;
  size_t meet;
  size_t compare;
};
constexpr Lags kLags = {16, 32, 44};
/// Of many buckets for each query.
constexpr Lags kLagsWithNeighbours = {2, 4, 5};
constexpr Lags kLagsOfOne = {0, 0, 0};

Lags LagsFor(const MatchOptions& match, size_t queries) {
  if (queries == 1) return kLagsOfOne;
  return match.neighbours ? kLagsWithNeighbours : kLags;
}

template <class Visit>
void ForEachNeighbour(uint16_t block, const Visit& visit) {
  for (int bit = 0; bit < kBlockBits; ++bit) visit(static_cast<uint16_t>(block ^ (1U << bit)));
}

/// std::popcount is a call into a library on processors of the first generation, for which the
/// binary is built.
int BitCount(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>(x * 0x0101010101010101 >> 56);
}

bool WithinWindow(int64_t a_ms, int64_t b_ms, int64_t window_ms) {
  const auto [low, high] = std::minmax(a_ms, b_ms);
  return static_cast<uint64_t>(high) - static_cast<uint64_t>(low) <=
         static_cast<uint64_t>(window_ms);
}

/// Runs each query in four steps, some queries apart: fetch its buckets and lines of text keys;
/// fetch what the buckets lead to; meet entries, and fetch them; compare them.
template <class Sink>
class Search {
 public:
  /// `sink` gets the number of the query and the match, if it is one, of all entries it compares:
  /// some several times, in any order.
  Search(const IndexParts& parts, std::span<const IndexQuery> queries, const Sink& sink)
      : parts_(parts), queries_(queries), sink_(sink) {}

  void Run() {
    const Lags lags = LagsFor(parts_.match, queries_.size());
    for (size_t step = 0; step < queries_.size() + lags.compare; ++step) {
      if (step < queries_.size()) FetchFirst(queries_[step]);
      if (IsQuery(step - lags.postings)) FetchPostings(queries_[step - lags.postings]);
      if (IsQuery(step - lags.meet)) Meet(step - lags.meet);
      if (IsQuery(step - lags.compare)) CompareMetBefore(step - lags.compare + 1);
    }
  }

 private:
  /// An entry that was met, by how many text keys, and for which query.
  struct Met {
    size_t query;
    uint32_t id;
    int shared_keys;
  };

  /// Wraps around for the steps before the first query.
  bool IsQuery(size_t number) const { return number < queries_.size(); }

  /// Calls `visit` with each bucket to be read, and how many errors its partner may have.
  template <class Visit>
  void ForEachBucket(const IndexQuery& query, const Visit& visit) const {
    for (size_t table = 0; table < parts_.tables.size(); ++table) {
      const uint16_t block = BlockOf(query.fingerprint.simhash, table);
      if (!parts_.match.neighbours) {
        visit(table, block, kHalfErrors);
        continue;
      }
      visit(table, block, kHalfErrorsOfNeighbours);
      ForEachNeighbour(block,
                       [&](uint16_t near) { visit(table, near, kHalfErrorsOfNeighbours - 1); });
    }
  }
  /// Of the entries asked for, the live ones; those that are the newest of many are read from the
  /// ends of the buckets.
  LiveIds Asked(const IndexQuery& query) const {
    const uint64_t begin_id = std::max(query.since_id, parts_.entries.begin_id());
    if (begin_id >= parts_.entries.end_id()) return {};
    return {static_cast<uint32_t>(begin_id),
            static_cast<uint32_t>(parts_.entries.end_id() - begin_id)};
  }
  bool AsksNewest(const IndexQuery& query) const {
    return query.since_id > parts_.entries.begin_id();
  }

  void FetchFirst(const IndexQuery& query) const {
    ForEachBucket(query, [&](size_t table, uint16_t block, int) {
      parts_.tables[table].PrefetchBucket(block);
    });
    if (!parts_.text_keys) return;
    for (const uint32_t key : query.text_keys.keys()) parts_.text_keys->Prefetch(key);
  }
  void FetchPostings(const IndexQuery& query) const {
    const bool newest = AsksNewest(query);
    ForEachBucket(query, [&](size_t table, uint16_t block, int) {
      if (newest) {
        parts_.tables[table].PrefetchNewest(block);
      } else {
        parts_.tables[table].PrefetchTags(block);
        if (!parts_.match.neighbours) parts_.tables[table].PrefetchNewest(block);
      }
    });
  }
  void Meet(size_t number) {
    const IndexQuery& query = queries_[number];
    const LiveIds asked = Asked(query);
    if (asked.count == 0) return;
    MeetByKeys(number, asked);
    const bool newest = AsksNewest(query);
    ForEachBucket(query, [&](size_t table, uint16_t block, int errors) {
      const uint16_t partner = PartnerOf(query.fingerprint.simhash, table);
      const auto meet = [&](uint32_t id) {
        if (asked.Holds(id)) AddMet({number, id, 0});
      };
      if (newest) {
        parts_.tables[table].ForEachNearAmong(asked, block, partner, errors, meet);
      } else {
        parts_.tables[table].ForEachNear(block, partner, errors, meet);
      }
    });
  }
  void MeetByKeys(size_t number, LiveIds asked) {
    if (!parts_.text_keys) return;
    if (met_end_ - met_begin_ + kKeyHitsMax > kMetMax) CompareMetBefore(number);
    const size_t begin = met_end_;
    for (const uint32_t key : queries_[number].text_keys.keys()) {
      parts_.text_keys->ForEach(key, asked, [&](uint32_t id) {
        for (size_t i = begin; i < met_end_; ++i) {
          if (met(i).id != id) continue;
          ++met(i).shared_keys;
          return;
        }
        AddMet({number, id, 1});
      });
    }
  }
  void AddMet(const Met& added) {
    if (met_end_ - met_begin_ == kMetMax) CompareMetBefore(added.query + 1);
    parts_.entries.Prefetch(parts_.FullId(added.id));
    met(met_end_++) = added;
  }
  Met& met(size_t number) { return met_[number % kMetMax]; }

  void CompareMetBefore(size_t query) {
    for (; met_begin_ != met_end_ && met(met_begin_).query < query; ++met_begin_) {
      sink_(met(met_begin_).query, Compare(met(met_begin_)));
    }
  }
  std::optional<Match> Compare(const Met& met) const {
    const IndexQuery& query = queries_[met.query];
    const Fingerprint sought = parts_.Kept(query.fingerprint);
    const uint64_t id = parts_.FullId(met.id);
    const StoredEntry& entry = parts_.entries[id];
    Match match{id, BitCount(entry.simhash() ^ sought.simhash),
                BitCount(entry.order() ^ sought.order), MatchKind::kExact};
    if (!entry.IsExact(sought)) {
      match.kind = MatchKind::kNear;
      const Nearness nearness{match.distance, match.order_distance, met.shared_keys,
                              query.features};
      if (!Accepts(parts_.match, nearness)) return std::nullopt;
    }
    if (entry.origin() == query.position) return std::nullopt;
    const int64_t time_ms = StoredEntry::KeptTime(query.time_ms);
    if (!WithinWindow(entry.time_ms(), time_ms, query.window_ms)) return std::nullopt;
    return match;
  }

  const IndexParts& parts_;
  std::span<const IndexQuery> queries_;
  const Sink& sink_;
  /// Those numbered met_begin_ to met_end_, at their number modulo kMetMax.
  std::array<Met, kMetMax> met_;
  size_t met_begin_ = 0;
  size_t met_end_ = 0;
};

}  // namespace

bool Better(const Match& a, const Match& b) {
  const int sum_a = a.distance + a.order_distance;
  const int sum_b = b.distance + b.order_distance;
  return std::tie(a.kind, sum_a, a.id) < std::tie(b.kind, sum_b, b.id);
}

void FindNearest(const IndexParts& parts, std::span<const IndexQuery> queries,
                 std::span<Nearest> found) {
  assert(queries.size() == found.size());
  std::fill(found.begin(), found.end(), Nearest());
  const auto keep_best = [found](size_t query, const std::optional<Match>& match) {
    Nearest& nearest = found[query];
    ++nearest.candidates;
    if (match && (!nearest.match || Better(*match, *nearest.match))) nearest.match = match;
  };
  Search(parts, queries, keep_best).Run();
}

std::vector<Match> FindAll(const IndexParts& parts, const IndexQuery& query) {
  std::vector<Match> all;
  const auto add = [&all](size_t, const std::optional<Match>& match) {
    if (match) all.push_back(*match);
  };
  Search(parts, std::span(&query, 1), add).Run();
  std::sort(all.begin(), all.end(), Better);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void PrefetchFor(const IndexParts& parts, const Fingerprint& fingerprint,
                 const ProbedKeys& text_keys) {
  for (size_t table = 0; table < parts.tables.size(); ++table) {
    const uint16_t block = BlockOf(fingerprint.simhash, table);
    parts.tables[table].PrefetchTags(block);
    parts.tables[table].PrefetchNewest(block);
    if (!parts.match.neighbours) continue;
    ForEachNeighbour(block, [&](uint16_t near) { parts.tables[table].PrefetchBucket(near); });
  }
  if (!parts.text_keys) return;
  for (const uint32_t key : text_keys.keys()) parts.text_keys->Prefetch(key);
}

}  // namespace neardup
