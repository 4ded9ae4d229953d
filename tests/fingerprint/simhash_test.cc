#include "fingerprint/simhash.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

TEST(Simhash, IsTheHashOfTheOnlyFeature) {
  const std::vector<Feature> features = {{0x0123456789ABCDEF, 16}};
  EXPECT_EQ(Simhash(features), 0x0123456789ABCDEFU);
}

TEST(Simhash, IsZeroForNoFeatures) { EXPECT_EQ(Simhash({}), 0U); }

TEST(Simhash, TakesTheHeavierSideOfEachBit) {
  // Bit 0: 3 against 2 + 2. Bit 1: 3 + 2 against 2. Bit 2: a tie of nothing for, all against.
  const std::vector<Feature> features = {{0b011, 3}, {0b010, 2}, {0b000, 2}};
  EXPECT_EQ(Simhash(features), 0b010U);
}

TEST(Simhash, LeavesABitUnsetInATie) {
  const std::vector<Feature> features = {{1, 5}, {0, 5}};
  EXPECT_EQ(Simhash(features), 0U);
}

uint64_t Model(const std::vector<Feature>& features) {
  uint64_t simhash = 0;
  for (int bit = 0; bit < 64; ++bit) {
    int64_t sum = 0;
    for (const Feature& feature : features) {
      const auto weight = static_cast<int64_t>(feature.weight);
      sum += (feature.hash >> bit & 1) != 0 ? weight : -weight;
    }
    if (sum > 0) simhash |= uint64_t{1} << bit;
  }
  return simhash;
}

TEST(Simhash, AgreesWithItsDefinition) {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    std::vector<Feature> features(random() % 60);
    for (Feature& feature : features) feature = {random(), 1 + random() % 131'200};
    ASSERT_EQ(Simhash(features), Model(features)) << "seed " << kSeed << " round " << round;
  }
}

TEST(Simhash, DoesNotOverflowWithManyHeavyFeatures) {
  std::mt19937_64 random(kSeed);
  std::vector<Feature> features(100'000);
  for (Feature& feature : features) feature = {random() | 1, 131'200};
  EXPECT_EQ(Simhash(features), Model(features)) << "seed " << kSeed;
}

}  // namespace
}  // namespace neardup
