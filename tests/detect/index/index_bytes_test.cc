// The index never exceeds the bound that BytesMax computes, and counts the memory that it really
// takes from the allocator.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "detect/base/counted_allocations.h"
#include "detect/index/index.h"

namespace neardup {
namespace {

/// Gives each entry three keys of its own, which makes the largest number of postings.
Entry MakeEntry(std::mt19937_64& random, uint64_t simhash) {
  Entry entry;
  entry.fingerprint = {simhash, random(), random(), random()};
  while (!entry.text_keys.full()) {
    entry.text_keys.Add(static_cast<uint32_t>(random()) | 1);
  }
  return entry;
}

struct Churn {
  uint64_t live_max;
  /// This many consecutive entries share a simhash, so that single buckets grow and then shrink.
  uint64_t family;
  int distance_max;
  std::optional<BlockLayout> layout = {};
};

class IndexBytes : public testing::TestWithParam<Churn> {};

TEST_P(IndexBytes, StayWithinTheBoundWhileEntriesComeAndGo) {
  const auto [live_max, family, distance_max, layout] = GetParam();
  const uint64_t seed = live_max + family;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const IndexOptions options{
      .match = {.distance_max = distance_max}, .entries_max = live_max, .layout = layout};
  const uint64_t bound = Index::BytesMax(options, live_max);
  const uint64_t allocated_before = allocated_bytes;
  Index index(options);
  std::vector<Entry> live;  // needed for rollbacks
  live.reserve(live_max);
  const uint64_t elsewhere = live.capacity() * sizeof(Entry);
  uint64_t simhash = 0;
  uint64_t bytes_most = 0;
  const uint64_t insertions = std::max<uint64_t>(10 * live_max, 300'000);
  for (uint64_t i = 0; i < insertions; ++i) {
    if (i % family == 0) simhash = random();
    live.push_back(MakeEntry(random, simhash));
    index.Insert(live.back());
    if (index.size() == live_max) {  // forgets few or many, by expiry or by rollback
      uint64_t count = 1 + random() % (random() % 8 == 0 ? live_max : live_max / 10);
      if (random() % 3 == 0) {
        index.Rollback(std::span(live).last(count));
        live.resize(live.size() - count);
      } else {
        index.Expire(index.begin_id() + count);
        live.erase(live.begin(), live.begin() + static_cast<int64_t>(count));
      }
    }
    if (i % 16 != 0) continue;
    bytes_most = std::max(bytes_most, index.bytes());
    ASSERT_LE(allocated_bytes - allocated_before - elsewhere, index.bytes()) << "after " << i;
  }
  EXPECT_LE(bytes_most, bound);
  EXPECT_GT(bytes_most, bound / 5) << "a bound that says nothing";
}

INSTANTIATE_TEST_SUITE_P(EveryCapacity, IndexBytes,
                         testing::Values(Churn{1000, 1, 8}, Churn{1025, 500, 8},
                                         Churn{20'000, 1, 8}, Churn{20'000, 20'000, 8},
                                         Churn{65'536, 1, 8}, Churn{65'537, 3000, 8},
                                         Churn{100'000, 1, 8}, Churn{100'000, 100'000, 2},
                                         Churn{30'000, 10, 0}, Churn{30'000, 10, 1},
                                         Churn{60'000, 1, 8, BlockLayout::SixTables(16)},
                                         Churn{100'000, 3000, 8, BlockLayout::SixTables(17)}));

TEST(IndexBytes, CountTextKeysOnlyIfTheyAreUsed) {
  IndexOptions options{.match = {}, .entries_max = 3'100'000};
  const uint64_t with_keys = Index::BytesMax(options, 3'100'000);
  options.match.text_keys = false;
  // A million lines of 9.3 postings each, and the hits of one look-up.
  EXPECT_NEAR(static_cast<double>(with_keys - Index::BytesMax(options, 3'100'000)), 64e6, 8192);
}

TEST(IndexBytes, GrowWithTheCapacity) {
  uint64_t before = 0;
  for (uint64_t live_max = 1; live_max <= 1'000'000'000; live_max *= 10) {
    const uint64_t bound = Index::BytesMax({.match = {}, .entries_max = live_max}, live_max);
    EXPECT_GE(bound, before);
    before = bound;
    EXPECT_GE(before, live_max * (sizeof(StoredEntry) + 8 + 4 * 6 + 3 * 6));
  }
}

}  // namespace
}  // namespace neardup
