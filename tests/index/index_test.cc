// The rules of the index one by one; index_model_test.cc holds it against a full scan.
#include "index/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace neardup {
namespace {

constexpr uint64_t kCode = 0x0123456789abcdef;

Entry MakeEntry(uint64_t simhash, uint64_t exact, int64_t time_ms = 0, int64_t offset = 0) {
  return {{simhash, exact}, time_ms, {7, offset}};
}

IndexQuery MakeQuery(uint64_t simhash, uint64_t exact) {
  return {.fingerprint = {simhash, exact}, .position = {1, 1}};
}

TEST(Index, EveryPairOfFlippedBitsIsFoundWithinItsDistance) {
  Index index({.distance_max = 2});
  index.Insert(MakeEntry(kCode, 1));
  for (int a = 0; a < 64; ++a) {
    for (int b = 0; b < 64; ++b) {
      const uint64_t code = kCode ^ (uint64_t{1} << a) ^ (uint64_t{1} << b);
      const int distance = a == b ? 0 : 2;
      const auto match = index.FindNearest(MakeQuery(code, 2));
      ASSERT_EQ(match, (Match{0, distance, MatchKind::kNear})) << a << " " << b;
    }
  }
}

TEST(Index, TheWorstSpreadOfErrorsIsFoundAtEveryDistance) {
  // One error more in each block in turn: no block is spared as long as possible.
  for (int distance_max = 0; distance_max <= 7; ++distance_max) {
    Index index({.distance_max = distance_max});
    index.Insert(MakeEntry(kCode, 1));
    uint64_t code = kCode;
    for (int errors = 0; errors <= 8; ++errors) {
      const bool same = errors == 0;
      const auto match = index.FindNearest(MakeQuery(code, same ? 1 : 2));
      EXPECT_EQ(match.has_value(), errors <= distance_max) << distance_max << " " << errors;
      if (match) {
        EXPECT_EQ(match->distance, errors);
      }
      code ^= uint64_t{1} << ((errors % 4) * 16 + errors / 4 * 5);
    }
  }
}

TEST(Index, ExactComesBeforeNearAndTheOldestBeforeTheRest) {
  Index index({.distance_max = 3});
  index.Insert(MakeEntry(kCode, 5));      // 0: distance 0, not equal
  index.Insert(MakeEntry(kCode ^ 1, 6));  // 1: distance 1
  index.Insert(MakeEntry(kCode, 1));      // 2: equal
  index.Insert(MakeEntry(kCode, 1));      // 3: equal, younger
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 1)), (Match{2, 0, MatchKind::kExact}));
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 9)), (Match{0, 0, MatchKind::kNear}));
  index.Expire(1);
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 9)), (Match{2, 0, MatchKind::kNear}));
}

TEST(Index, TheOldestOfTwoAtEqualDistanceWinsWhicheverTableMeetsItFirst) {
  Index index({.distance_max = 3});
  index.Insert(MakeEntry(kCode ^ 1, 1));                    // differs in block 0
  index.Insert(MakeEntry(kCode ^ (uint64_t{1} << 63), 2));  // differs in block 3, met first
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 9)), (Match{0, 1, MatchKind::kNear}));
}

TEST(Index, AtDistanceZeroOnlyEqualExactHashesMatch) {
  Index index({.distance_max = 0});
  index.Insert(MakeEntry(kCode, 1));
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 2)), std::nullopt);
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 1)), (Match{0, 0, MatchKind::kExact}));
}

TEST(Index, AnEntryAtThePositionAskedForNeverMatches) {
  Index index({.distance_max = 3});
  index.Insert(MakeEntry(kCode, 1, 0, 40));
  index.Insert(MakeEntry(kCode, 1, 0, 41));
  IndexQuery query = MakeQuery(kCode, 1);
  query.position = {7, 40};
  EXPECT_EQ(index.FindNearest(query), (Match{1, 0, MatchKind::kExact}));
  query.position = {6, 40};
  EXPECT_EQ(index.FindNearest(query), (Match{0, 0, MatchKind::kExact}));
}

TEST(Index, TheWindowIsInclusiveAndSafeAtTheEndsOfTime) {
  Index index({.distance_max = 3});
  index.Insert(MakeEntry(kCode, 1, 1000));
  IndexQuery query = MakeQuery(kCode, 1);
  query.window_ms = 10;
  for (const auto& [time_ms, found] : std::vector<std::pair<int64_t, bool>>{{989, false},
                                                                            {990, true},
                                                                            {1010, true},
                                                                            {1011, false},
                                                                            {INT64_MIN, false},
                                                                            {INT64_MAX, false},
                                                                            {-1, false}}) {
    query.time_ms = time_ms;
    EXPECT_EQ(index.FindNearest(query).has_value(), found) << time_ms;
  }
  index.Insert(MakeEntry(~kCode, 2, INT64_MIN));
  query = MakeQuery(~kCode, 2);
  query.time_ms = INT64_MAX;
  EXPECT_EQ(index.FindNearest(query), std::nullopt);
  query.time_ms = -1;
  EXPECT_EQ(index.FindNearest(query), (Match{1, 0, MatchKind::kExact}));
}

TEST(Index, NumbersGoOnPastThirtyTwoBits) {
  const uint64_t begin_id = (uint64_t{1} << 32) - 2;
  Index index({.distance_max = 7, .begin_id = begin_id});
  for (uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(index.Insert(MakeEntry(kCode ^ i, i)), begin_id + i);
  }
  index.Expire(begin_id + 1);
  for (uint64_t i = 0; i < 5; ++i) {
    const auto match = index.FindNearest(MakeQuery(kCode ^ i, i));
    ASSERT_TRUE(match);
    EXPECT_EQ(match->kind, i > 0 ? MatchKind::kExact : MatchKind::kNear);
    EXPECT_EQ(match->id, begin_id + std::max<uint64_t>(i, 1));
  }
  index.Rollback(begin_id + 3);
  EXPECT_EQ(index.end_id(), begin_id + 3);
  EXPECT_EQ(index.Insert(MakeEntry(kCode, 77)), begin_id + 3);
}

TEST(Index, ChurnOfManyWindowsDoesNotGrowIt) {
  // A sweep goes round in 262,144 insertions, so memory is level from the fourth window on.
  std::mt19937_64 random(1);
  Index index({.distance_max = 3});
  constexpr uint64_t kWindow = 100'000;
  uint64_t bytes_level = 0;
  for (int window = 1; window <= 14; ++window) {
    for (uint64_t i = 0; i < kWindow; ++i) {
      index.Insert(MakeEntry(random(), i));
      if (index.size() > kWindow) index.Expire(index.end_id() - kWindow);
    }
    if (window == 4) bytes_level = index.bytes();
  }
  EXPECT_LT(index.bytes(), bytes_level + bytes_level / 20);
  EXPECT_EQ(index.size(), kWindow);
}

TEST(Index, TheDeadOfAHotBucketGoBeforeItGrows) {
  Index index({.distance_max = 3});
  const uint64_t bytes_empty = index.bytes();
  for (int i = 0; i < 100'000; ++i) {  // far from a round of sweeping
    index.Insert(MakeEntry(kCode, 1));
    if (index.size() > 100) index.Expire(index.end_id() - 100);
  }
  EXPECT_LT(index.bytes(), bytes_empty + 100'000);
}

TEST(Index, MemoryOfAHotBucketIsGivenBack) {
  Index index({.distance_max = 3});
  const uint64_t bytes_empty = index.bytes();
  for (int i = 0; i < 100'000; ++i) index.Insert(MakeEntry(kCode, 1));
  const uint64_t bytes_hot = index.bytes();
  EXPECT_GE(bytes_hot, bytes_empty + 4 * 4 * 100'000);
  index.Expire(index.end_id());
  std::mt19937_64 random(2);
  for (int i = 0; i < 300'000; ++i) {
    index.Insert(MakeEntry(random(), 1));
    index.Expire(index.end_id());
  }
  // The ring stays; what is left of the buckets is what the last sweep round inserted.
  EXPECT_LT(index.bytes(), bytes_hot + 4 * 300'000 * 4 * 2);
  EXPECT_EQ(index.FindNearest(MakeQuery(kCode, 1)), std::nullopt);
}

TEST(Index, CountsTheEntriesItCompares) {
  Index index({.distance_max = 3});
  index.Insert(MakeEntry(kCode, 1));
  index.Insert(MakeEntry(~kCode, 2));
  index.FindNearest(MakeQuery(kCode, 9));
  EXPECT_EQ(index.candidates(), 4U);  // the first entry, in each of the four buckets
  index.FindNearest(MakeQuery(kCode, 1));
  EXPECT_EQ(index.candidates(), 5U);  // equal: nothing better can follow
}

}  // namespace
}  // namespace neardup
