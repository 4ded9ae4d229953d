// The index against a vector that is scanned whole: clustered and uniform codes, inserts, expiry
// and rollback in random order, every distance. Number, distance and kind must be the same.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "index/index.h"

namespace neardup {
namespace {

/// The index's contract with nothing clever in it.
class ScannedIndex {
 public:
  ScannedIndex(int distance_max, uint64_t begin_id)
      : distance_max_(distance_max), begin_id_(begin_id) {}

  uint64_t Insert(const Entry& entry) {
    entries_.push_back(entry);
    return begin_id_ + entries_.size() - 1;
  }
  void Rollback(uint64_t end_id) { entries_.resize(end_id - begin_id_); }
  void Expire(uint64_t begin_id) {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<int64_t>(begin_id - begin_id_));
    begin_id_ = begin_id;
  }
  std::optional<Match> FindNearest(const IndexQuery& query) const {
    std::optional<Match> best;
    for (uint64_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const int distance = std::popcount(entry.fingerprint.simhash ^ query.fingerprint.simhash);
      const bool exact = entry.fingerprint.exact == query.fingerprint.exact;
      const int64_t gap_ms = entry.time_ms - query.time_ms;
      if (distance > distance_max_ || (distance_max_ == 0 && !exact)) continue;
      if (entry.origin == query.position) continue;
      if (gap_ms > query.window_ms || -gap_ms > query.window_ms) continue;
      const Match match{begin_id_ + i, distance, exact ? MatchKind::kExact : MatchKind::kNear};
      if (!best || std::tie(match.kind, match.distance) < std::tie(best->kind, best->distance)) {
        best = match;
      }
    }
    return best;
  }
  uint64_t begin_id() const { return begin_id_; }
  uint64_t end_id() const { return begin_id_ + entries_.size(); }

 private:
  int distance_max_;
  uint64_t begin_id_;
  std::vector<Entry> entries_;
};

uint64_t ExactOf(uint64_t simhash) { return simhash * 0x9e3779b97f4a7c15; }

/// Codes around few centres, each some bits away from its centre, or uniform ones.
class CodeSource {
 public:
  CodeSource(std::mt19937_64& random, bool clustered) : random_(random), clustered_(clustered) {
    for (uint64_t& centre : centres_) centre = random_();
  }
  Fingerprint Next() {
    uint64_t code = random_();
    if (clustered_) {
      code = centres_[random_() % std::size(centres_)];
      for (uint64_t flips = random_() % 7; flips > 0; --flips) {
        code ^= uint64_t{1} << (random_() % 64);
      }
    }
    // Equal `exact` means equal `simhash`, not the other way round.
    return {code, ExactOf(code) ^ random_() % 4};
  }

 private:
  std::mt19937_64& random_;
  bool clustered_;
  uint64_t centres_[12];
};

class IndexModel : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(IndexModel, AnswersAsAFullScanDoes) {
  const auto [distance_max, clustered] = GetParam();
  const uint64_t seed = 1000 + static_cast<uint64_t>(distance_max) * 2 + (clustered ? 1 : 0);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const uint64_t begin_id = (uint64_t{1} << 32) - 700;
  Index index({.distance_max = distance_max, .begin_id = begin_id});
  ScannedIndex model(distance_max, begin_id);
  CodeSource codes(random, clustered);
  std::vector<Fingerprint> seen;
  size_t matches = 0;
  for (int step = 0; step < 20'000; ++step) {
    const auto time_ms = static_cast<int64_t>(random() % 100);
    const Position position{static_cast<uint32_t>(random() % 2),
                            static_cast<int64_t>(random() % 50)};
    const uint64_t dice = random() % 1000;
    if (dice < 400) {
      seen.push_back(codes.Next());
      ASSERT_EQ(index.Insert({seen.back(), time_ms, position}),
                model.Insert({seen.back(), time_ms, position}));
    } else if (dice < 990) {
      IndexQuery query{codes.Next(), position, time_ms, static_cast<int64_t>(random() % 100)};
      if (!seen.empty() && random() % 2 == 0) {
        query.fingerprint = seen[seen.size() - 1 - random() % std::min<size_t>(seen.size(), 300)];
        for (uint64_t flips = random() % 9; flips > 0; --flips) {
          query.fingerprint.simhash ^= uint64_t{1} << (random() % 64);
          query.fingerprint.exact = ExactOf(query.fingerprint.simhash);
        }
      }
      const auto match = index.FindNearest(query);
      matches += match ? 1 : 0;
      ASSERT_EQ(match, model.FindNearest(query)) << "step " << step;
    } else {
      const uint64_t live = model.end_id() - model.begin_id();
      const uint64_t count = random() % (std::min<uint64_t>(live, 150) + 1);
      if (dice < 995) {
        index.Rollback(model.end_id() - count);
        model.Rollback(model.end_id() - count);
      } else {
        index.Expire(model.begin_id() + count);
        model.Expire(model.begin_id() + count);
      }
    }
    ASSERT_EQ(index.begin_id(), model.begin_id());
    ASSERT_EQ(index.end_id(), model.end_id());
  }
  EXPECT_GT(matches, 100U);
  EXPECT_GT(index.end_id(), uint64_t{1} << 32);
}

INSTANTIATE_TEST_SUITE_P(EveryDistance, IndexModel,
                         testing::Combine(testing::Range(0, 8), testing::Bool()));

}  // namespace
}  // namespace neardup
