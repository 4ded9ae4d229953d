#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "feature/text_features.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

std::vector<Feature> Count(const std::vector<uint64_t>& tokens,
                           const std::vector<TokenRange>& ranges) {
  FeatureCounter counter;
  const auto features = counter.Count(tokens, ranges);
  return {features.begin(), features.end()};
}

TEST(FeatureCounter, ListsDistinctTokensInTheOrderOfTheirFirstOccurrence) {
  const auto features = Count({7, 5, 7, 7}, {{4, 16}});
  EXPECT_EQ(features, (std::vector<Feature>{{7, 16 * 34}, {5, 16 * 16}}));
}

TEST(FeatureCounter, FindsNoFeaturesInNoTokens) {
  EXPECT_TRUE(Count({}, {}).empty());
  EXPECT_TRUE(Count({}, {{0, 16}, {0, 16}}).empty());
}

TEST(FeatureCounter, WeighsByTheLogarithmOfTheCount) {
  for (size_t count = 1; count <= 70; ++count) {
    const auto features = Count(std::vector<uint64_t>(count, 1), {{count, 16}});
    const double n = static_cast<double>(std::min<size_t>(count, 63));
    EXPECT_EQ(features[0].weight, 16U * static_cast<uint64_t>(std::lround(16 * (1 + std::log(n)))))
        << count;
  }
}

TEST(FeatureCounter, AveragesTheWeightsOfTheFieldsOfAToken) {
  // Token 1 once at weight 1 and twice at weight 3: w(3) = 34, times 16 (1 + 3 + 3) / 3.
  const auto features = Count({1, 1, 1}, {{1, 16}, {3, 48}});
  EXPECT_EQ(features[0].weight, 34U * 112 / 3);
}

TEST(FeatureCounter, KeepsTokensThatShareASlotApart) {
  std::vector<uint64_t> tokens;
  for (uint64_t i = 0; i < 100; ++i) tokens.push_back(i << 32);
  EXPECT_EQ(Count(tokens, {{100, 16}}).size(), 100U);
}

TEST(FeatureCounter, AgreesWithAMapForEachRecordInTurn) {
  std::mt19937 random(kSeed);
  FeatureCounter counter;
  for (int round = 0; round < 500; ++round) {
    std::vector<uint64_t> tokens;
    std::vector<TokenRange> ranges;
    std::map<uint64_t, std::pair<uint64_t, uint64_t>> model;  // count, sum of weight16
    for (size_t field = random() % 4; field > 0; --field) {
      const auto weight16 = static_cast<uint32_t>(2 + random() % 1599);
      for (size_t i = random() % 200; i > 0; --i) {
        tokens.push_back(random() % 97);
        model[tokens.back()].first += 1;
        model[tokens.back()].second += weight16;
      }
      ranges.push_back({tokens.size(), weight16});
    }
    const auto features = counter.Count(tokens, ranges);
    ASSERT_EQ(features.size(), model.size()) << "seed " << kSeed;
    for (const Feature& feature : features) {
      const auto [count, sum] = model.at(feature.hash);
      const double n = static_cast<double>(std::min<uint64_t>(count, 63));
      const auto count_weight = static_cast<uint64_t>(std::lround(16 * (1 + std::log(n))));
      ASSERT_EQ(feature.weight, count_weight * sum / count) << "seed " << kSeed;
    }
  }
}

}  // namespace
}  // namespace neardup
