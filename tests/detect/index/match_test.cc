#include "detect/index/match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace neardup {
namespace {

constexpr uint32_t kMany = 1000;

MatchOptions Within(int distance_max, int distance_sum_max, bool widen = false) {
  MatchOptions match;
  match.similarity = 0;
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

TEST(Accepts, TheStricterOfSimilarityAndDistancesHolds) {
  MatchOptions match = Within(12, 128);
  match.similarity = 0.6;
  EXPECT_TRUE(Taken(match, 12, 16));
  EXPECT_FALSE(Taken(match, 12, 17));
  match.distance_max = 5;
  EXPECT_TRUE(Taken(match, 5, 23));
  EXPECT_FALSE(Taken(match, 6, 0));
  match.similarity = 0.95;
  EXPECT_TRUE(Taken(match, 5, 5));
  EXPECT_FALSE(Taken(match, 5, 6));
}

TEST(Accepts, HigherSimilarityNeverAllowsMore) {
  SimilarityLimits before = LimitsOf(0);
  EXPECT_EQ(before.distance_max, 64);
  EXPECT_EQ(before.sum_max, 128);
  for (int percent = 50; percent <= 95; ++percent) {
    const SimilarityLimits limits = LimitsOf(percent / 100.0);
    EXPECT_LE(limits.distance_max, before.distance_max) << percent;
    EXPECT_LE(limits.sum_max, before.sum_max) << percent;
    EXPECT_GT(limits.distance_max, 3) << percent;
    before = limits;
  }
}

TEST(Accepts, OnlyRecordsThatShareATextKeyMayBeFartherApartThanChanceAllows) {
  MatchOptions match = Within(8, 24);
  match.distance_chance_max = 4;
  EXPECT_TRUE(Taken(match, 4, 20));
  EXPECT_FALSE(Taken(match, 5, 0));
  EXPECT_TRUE(Taken(match, 8, 16, 1));
  EXPECT_FALSE(Taken(match, 9, 0, 1));
  match.distance_chance_max = 0;
  EXPECT_FALSE(Taken(match, 0, 1));
  EXPECT_TRUE(Taken(match, 8, 16, 1));
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
  EXPECT_TRUE(Taken(match, 12, 16, 2));
  EXPECT_FALSE(Taken(match, 13, 0, 2));
  EXPECT_FALSE(Taken(match, 12, 17, 2));
  for (const int keys : {3, 8}) {
    EXPECT_TRUE(Taken(match, 14, 14, keys));
    EXPECT_FALSE(Taken(match, 15, 0, keys));
    EXPECT_FALSE(Taken(match, 14, 15, keys)) << "a third key widens the words alone";
  }
}

TEST(Accepts, TheLargestDistanceIsFourteenWithOneKeySixteenWithTwoAndEighteenWithThree) {
  const MatchOptions match = Within(12, 128, true);
  EXPECT_TRUE(Taken(match, 14, 0, 1));
  EXPECT_FALSE(Taken(match, 15, 0, 1));
  EXPECT_TRUE(Taken(match, 16, 0, 2));
  EXPECT_FALSE(Taken(match, 17, 0, 2));
  EXPECT_TRUE(Taken(match, 18, 0, 3));
  EXPECT_FALSE(Taken(match, 19, 0, 3));
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

/// Whether near records with these bits in conflict are accepted.
bool TakenInConflict(const MatchOptions& match, int conflict_bits, uint32_t features) {
  return Accepts(match, {0, 0, 0, features, conflict_bits});
}

TEST(Accepts, OneNumberMayConflictForEachFiftyTokens) {
  const MatchOptions match = Within(8, 24);
  for (const auto& [features, most] : {std::pair{0U, 0},
                                       {12U, 0},
                                       {49U, 0},
                                       {50U, 2},
                                       {99U, 2},
                                       {100U, 4},
                                       {499U, 18},
                                       {1000U, 40}}) {
    EXPECT_TRUE(TakenInConflict(match, most, features)) << features;
    EXPECT_FALSE(TakenInConflict(match, most + 1, features)) << features;
  }
  EXPECT_TRUE(TakenInConflict(match, 64, UINT32_MAX));
}

TEST(Accepts, WithoutTheSwitchNumbersMayConflict) {
  MatchOptions match = Within(8, 24);
  match.numbers = false;
  EXPECT_TRUE(TakenInConflict(match, 64, 12));
}

TEST(Accepts, SuspectsMustNotConflictEither) {
  MatchOptions match = Within(8, 24);
  match.suspect_distance_max = 12;
  EXPECT_FALSE(TakenInConflict(*SuspectRule(match), 1, 30));
  EXPECT_TRUE(TakenInConflict(*SuspectRule(match), 0, 30));
}

TEST(ConflictBits, CountOnlyWhatEachSideHasAlone) {
  EXPECT_EQ(ConflictBits(0, 0), 0);
  EXPECT_EQ(ConflictBits(0b1111, 0b0011), 0) << "the other lacks a passage with numbers";
  EXPECT_EQ(ConflictBits(0, ~uint64_t{0}), 0);
  EXPECT_EQ(ConflictBits(0b110011, 0b001111), 2);
  EXPECT_EQ(ConflictBits(0b1000011, 0b0111111), 1);
}

/// Sets of single bits stand for numbers that set no common bit.
TEST(ConflictBits, AgreeWithSetsOnRandomSets) {
  constexpr uint64_t kSeed = 31;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 20'000; ++round) {
    std::set<int> sets[2];
    uint64_t bits[2] = {};
    for (const int side : {0, 1}) {
      for (uint64_t count = random() % 20; count > 0; --count) {
        const auto number = static_cast<int>(random() % 64);
        sets[side].insert(number);
        bits[side] |= uint64_t{1} << number;
      }
    }
    const auto alone = [&](int side) {
      return std::count_if(sets[side].begin(), sets[side].end(),
                           [&](int number) { return !sets[1 - side].contains(number); });
    };
    ASSERT_EQ(ConflictBits(bits[0], bits[1]), std::min(alone(0), alone(1)));
    ASSERT_EQ(ConflictBits(bits[1], bits[0]), ConflictBits(bits[0], bits[1]));
  }
}

TEST(NearnessOf, ComparesAllPartsOfTwoFingerprints) {
  const Nearness nearness = NearnessOf({0b111, 0b1, 5, 0b0110}, {0b001, 0b0, 6, 0b1100}, 2, 70);
  EXPECT_EQ(nearness.distance, 2);
  EXPECT_EQ(nearness.order_distance, 1);
  EXPECT_EQ(nearness.shared_keys, 2);
  EXPECT_EQ(nearness.features, 70U);
  EXPECT_EQ(nearness.conflict_bits, 1);
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
