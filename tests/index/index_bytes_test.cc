// The memory a configuration is told beforehand is never exceeded.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "index/index.h"

namespace neardup {
namespace {

/// Three keys of its own for each entry: as many pairs as there can be.
Entry MakeEntry(std::mt19937_64& random, uint64_t simhash) {
  Entry entry;
  entry.fingerprint = {simhash, random(), random()};
  while (!entry.text_keys.full()) {
    entry.text_keys.Add(static_cast<uint32_t>(random()) | 1);
  }
  return entry;
}

struct Churn {
  uint64_t live_max;
  /// As many entries in a row share a simhash, so that single buckets grow and are left behind.
  uint64_t family;
  int distance_max;
};

class IndexBytes : public testing::TestWithParam<Churn> {};

TEST_P(IndexBytes, StayWithinTheBoundUnderChurn) {
  const auto [live_max, family, distance_max] = GetParam();
  const uint64_t seed = live_max + family;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const MatchOptions match{.distance_max = distance_max};
  Index index({.match = match});
  const uint64_t bound = Index::BytesMax(match, live_max);
  uint64_t simhash = 0;
  uint64_t bytes_most = 0;
  const uint64_t insertions = std::max<uint64_t>(4 * live_max, 300'000);
  for (uint64_t i = 0; i < insertions; ++i) {
    if (i % family == 0) simhash = random();
    index.Insert(MakeEntry(random, simhash));
    if (index.size() == live_max) {  // now by expiry, now by rollback, little and much
      const uint64_t count = 1 + random() % (random() % 8 == 0 ? live_max : 100);
      if (random() % 3 == 0) {
        index.Rollback(index.end_id() - std::min(count, live_max));
      } else {
        index.Expire(index.begin_id() + std::min(count, live_max));
      }
    }
    bytes_most = std::max(bytes_most, index.bytes());
  }
  EXPECT_LE(bytes_most, bound);
  EXPECT_GT(bytes_most, bound / 4) << "a bound that says nothing";
}

INSTANTIATE_TEST_SUITE_P(EveryCapacity, IndexBytes,
                         testing::Values(Churn{1000, 1, 8}, Churn{1025, 500, 8},
                                         Churn{20'000, 1, 8}, Churn{20'000, 20'000, 8},
                                         Churn{65'536, 1, 8}, Churn{65'537, 3000, 8},
                                         Churn{100'000, 1, 8}, Churn{100'000, 100'000, 2},
                                         Churn{30'000, 10, 0}, Churn{30'000, 10, 1}));

TEST(IndexBytes, CountTextKeysOnlyWhereTheyAreUsed) {
  MatchOptions match;
  const uint64_t with_keys = Index::BytesMax(match, 1'000'000);
  match.text_keys = false;
  // 3 million pairs at two thirds: 2^23 slots of 8 bytes.
  EXPECT_EQ(with_keys - Index::BytesMax(match, 1'000'000), uint64_t{8} << 23);
}

TEST(IndexBytes, GrowWithTheCapacity) {
  const MatchOptions match;
  uint64_t before = 0;
  for (uint64_t live_max = 1; live_max <= 1'000'000'000; live_max *= 10) {
    EXPECT_GE(Index::BytesMax(match, live_max), before);
    before = Index::BytesMax(match, live_max);
    EXPECT_GE(before, live_max * sizeof(Entry));
  }
}

}  // namespace
}  // namespace neardup
