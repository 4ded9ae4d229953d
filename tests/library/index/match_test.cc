#include "index/match.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

constexpr uint32_t kMany = 1000;

MatchOptions Within(int distance_max, int distance_sum_max, bool widen = false) {
  MatchOptions match;
  match.distance_max = distance_max;
  match.distance_sum_max = distance_sum_max;
  match.widen = widen;
  return match;
}

bool Taken(const MatchOptions& match, int distance, int order_distance, int shared_keys = 0,
           uint32_t features = kMany) {
  return Accepts(match, {distance, order_distance, shared_keys, features});
}

TEST(Accepts, DistanceIsInclusive) {
  EXPECT_TRUE(Taken(Within(8, 128), 8, 64));
  EXPECT_FALSE(Taken(Within(8, 128), 9, 0));
}

TEST(Accepts, TheSumOfBothDistancesIsInclusive) {
  EXPECT_TRUE(Taken(Within(8, 24), 8, 16));
  EXPECT_FALSE(Taken(Within(8, 24), 8, 17));
  EXPECT_TRUE(Taken(Within(8, 24), 0, 24));
  EXPECT_FALSE(Taken(Within(8, 24), 0, 25));
  EXPECT_TRUE(Taken(Within(8, 0), 0, 0));
  EXPECT_FALSE(Taken(Within(8, 0), 1, 0));
}

TEST(Accepts, AtDistanceZeroNoUnequalRecordsMatch) {
  EXPECT_FALSE(Taken(Within(0, 128), 0, 0));
  EXPECT_FALSE(Taken(Within(0, 128, true), 0, 0, 8));
}

TEST(Accepts, SharedKeysChangeNothingWithoutWiden) {
  EXPECT_FALSE(Taken(Within(8, 24), 9, 0, 8));
  EXPECT_FALSE(Taken(Within(8, 24), 8, 17, 8));
}

TEST(Accepts, OneSharedKeyAllowsTwoMoreBitsInBothDistances) {
  const MatchOptions match = Within(8, 24, true);
  EXPECT_TRUE(Taken(match, 10, 16, 1));
  EXPECT_FALSE(Taken(match, 11, 0, 1));
  EXPECT_FALSE(Taken(match, 10, 17, 1));
  EXPECT_FALSE(Taken(match, 9, 0, 0));
}

TEST(Accepts, TwoOrMoreSharedKeysAllowFourMoreBits) {
  const MatchOptions match = Within(8, 24, true);
  for (const int keys : {2, 3, 8}) {
    EXPECT_TRUE(Taken(match, 12, 16, keys));
    EXPECT_FALSE(Taken(match, 13, 0, keys));
    EXPECT_FALSE(Taken(match, 12, 17, keys));
  }
}

TEST(Accepts, TheLargestDistanceIsFourteenWithOneKeyAndSixteenWithTwo) {
  const MatchOptions match = Within(12, 128, true);
  EXPECT_TRUE(Taken(match, 14, 0, 1));
  EXPECT_FALSE(Taken(match, 15, 0, 1));
  EXPECT_TRUE(Taken(match, 16, 0, 2));
  EXPECT_FALSE(Taken(match, 17, 0, 2));
}

TEST(Accepts, AShortRecordIsAllowedASmallerDistance) {
  const MatchOptions match = Within(8, 128);  // features_per_bit 3
  EXPECT_TRUE(Taken(match, 8, 0, 0, 24));
  EXPECT_FALSE(Taken(match, 8, 0, 0, 23));
  EXPECT_TRUE(Taken(match, 7, 0, 0, 23));
  EXPECT_TRUE(Taken(match, 1, 0, 0, 3));
  EXPECT_FALSE(Taken(match, 1, 0, 0, 2));
  EXPECT_TRUE(Taken(match, 0, 0, 0, 0));
}

TEST(Accepts, SharedKeysWidenTheLimitOfAShortRecordToo) {
  const MatchOptions match = Within(8, 128, true);
  EXPECT_TRUE(Taken(match, 8, 0, 2, 12));
  EXPECT_FALSE(Taken(match, 9, 0, 2, 12));
}

TEST(Accepts, WithoutFeaturesPerBitTheNumberOfFeaturesDoesNotCount) {
  MatchOptions match = Within(8, 128);
  match.features_per_bit = 0;
  EXPECT_TRUE(Taken(match, 8, 0, 0, 0));
}

TEST(Accepts, AnyNumberOfFeaturesIsSafe) {
  MatchOptions match = Within(12, 128);
  for (const uint32_t per_bit : {1U, 100U}) {
    match.features_per_bit = per_bit;
    EXPECT_TRUE(Taken(match, 12, 0, 0, UINT32_MAX));
    EXPECT_FALSE(Taken(match, 13, 0, 0, UINT32_MAX));
  }
}

TEST(Accepts, MoreKeysOrFeaturesNeverRefuseWhatFewerAccept) {
  for (const bool widen : {false, true}) {
    const MatchOptions match = Within(9, 22, widen);
    for (int distance = 0; distance <= 20; ++distance) {
      for (int order_distance = 0; order_distance <= 30; ++order_distance) {
        for (uint32_t features = 0; features < 40; ++features) {
          for (int keys = 0; keys < 4; ++keys) {
            if (!Taken(match, distance, order_distance, keys, features)) continue;
            ASSERT_TRUE(Taken(match, distance, order_distance, keys + 1, features));
            ASSERT_TRUE(Taken(match, distance, order_distance, keys, features + 1));
          }
        }
      }
    }
  }
}

TEST(Accepts, TheGuaranteeEndsAtThreeBitsOrSevenWithNeighbours) {
  MatchOptions match;
  EXPECT_EQ(GuaranteedDistance(match), 3);
  match.neighbours = true;
  EXPECT_EQ(GuaranteedDistance(match), 7);
  for (const int distance_max : {0, 1, 2, 3}) {
    match.distance_max = distance_max;
    EXPECT_EQ(GuaranteedDistance(match), distance_max);
    match.neighbours = !match.neighbours;
    EXPECT_EQ(GuaranteedDistance(match), distance_max);
  }
}

}  // namespace
}  // namespace neardup
