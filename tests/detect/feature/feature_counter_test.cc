#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "detect/base/simd_levels.h"
#include "detect/feature/text_features.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

using Weights = std::map<uint64_t, uint64_t>;  // by token

Weights WeightsOf(const Features& features) {
  Weights weights;
  for (const uint64_t token : features.tokens) weights[token] = features.weight;
  EXPECT_EQ(weights.size(), features.tokens.size()) << "a token is listed twice";
  for (const Feature& more : features.more) weights.at(more.hash) += more.weight;
  return weights;
}

Weights Count(const std::vector<uint64_t>& tokens, const std::vector<TokenRange>& ranges) {
  FeatureCounter counter;
  return WeightsOf(counter.Count(tokens, ranges));
}

TEST(FeatureCounter, ListsDistinctTokens) {
  EXPECT_EQ(Count({7, 5, 7, 7}, {{4, 16}}), (Weights{{7, 16 * 34}, {5, 16 * 16}}));
}

TEST(FeatureCounter, FindsNoFeaturesInNoTokens) {
  EXPECT_TRUE(Count({}, {}).empty());
  EXPECT_TRUE(Count({}, {{0, 16}, {0, 16}}).empty());
}

TEST(FeatureCounter, WeighsByTheLogarithmOfTheCount) {
  for (size_t count = 1; count <= 70; ++count) {
    const auto features = Count(std::vector<uint64_t>(count, 1), {{count, 16}});
    const double n = static_cast<double>(std::min<size_t>(count, 63));
    EXPECT_EQ(features.at(1), 16U * static_cast<uint64_t>(std::lround(16 * (1 + std::log(n)))))
        << count;
  }
}

TEST(FeatureCounter, AveragesTheWeightsOfTheFieldsOfAToken) {
  // Token 1 once at weight 1 and twice at weight 3: w(3) = 34, times 16 (1 + 3 + 3) / 3.
  const auto features = Count({1, 1, 1}, {{1, 16}, {3, 48}});
  EXPECT_EQ(features.at(1), 34U * 112 / 3);
}

TEST(FeatureCounter, KeepsTokensThatShareASlotApart) {
  AtEachSimdLevel([] {
    for (const int shift : {32, 20, 8}) {
      std::vector<uint64_t> tokens;
      Weights expected;
      for (uint64_t i = 0; i < 100; ++i) {
        const uint64_t repeats = 1 + i % 3;
        tokens.insert(tokens.end(), repeats, i << shift);
        expected[i << shift] = uint64_t{16} * std::array{16, 27, 34}[repeats - 1];
      }
      EXPECT_EQ(Count(tokens, {{tokens.size(), 16}}), expected);
      std::reverse(tokens.begin(), tokens.end());
      EXPECT_EQ(Count(tokens, {{tokens.size(), 16}}), expected);
    }
  });
}

/// A token, often one that has occurred or one with the lowest bits of another.
uint64_t DrawToken(std::mt19937_64& random, const std::vector<uint64_t>& tokens) {
  const uint64_t fresh = random();
  if (tokens.empty() || fresh % 4 == 0) return fresh;
  const uint64_t other = tokens[random() % tokens.size()];
  return fresh % 4 == 1 ? (fresh << 16) | (other & 0xFFFF) : other;
}

TEST(FeatureCounter, AgreesWithAMapForEachRecordInTurn) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    FeatureCounter counter;
    for (int round = 0; round < 1000; ++round) {
      std::vector<uint64_t> tokens;
      std::vector<TokenRange> ranges;
      std::map<uint64_t, std::pair<uint64_t, uint64_t>> model;  // count, sum of weight16
      const bool one_weight = random() % 2 == 0;
      for (size_t field = random() % 4; field > 0; --field) {
        const auto weight16 = static_cast<uint32_t>(one_weight ? 16 : 2 + random() % 1599);
        for (size_t i = random() % 200; i > 0; --i) {
          tokens.push_back(DrawToken(random, tokens));
          model[tokens.back()].first += 1;
          model[tokens.back()].second += weight16;
        }
        ranges.push_back({tokens.size(), weight16});
      }
      const Weights weights = WeightsOf(counter.Count(tokens, ranges));
      ASSERT_EQ(weights.size(), model.size()) << "seed " << kSeed;
      for (const auto& [token, weight] : weights) {
        const auto [count, sum] = model.at(token);
        const double n = static_cast<double>(std::min<uint64_t>(count, 63));
        const auto count_weight = static_cast<uint64_t>(std::lround(16 * (1 + std::log(n))));
        ASSERT_EQ(weight, count_weight * sum / count) << "seed " << kSeed;
      }
    }
  });
}

TEST(FeatureCounter, ListsDistinctHashes) {
  AtEachSimdLevel([] {
    std::mt19937_64 random(kSeed);
    FeatureCounter counter;
    for (int round = 0; round < 1000; ++round) {
      std::vector<uint64_t> hashes;
      for (size_t i = random() % (round % 50 == 0 ? 3000 : 300); i > 0; --i) {
        hashes.push_back(DrawToken(random, hashes));
      }
      const auto found = counter.Distinct(hashes);
      std::vector<uint64_t> distinct(found.begin(), found.end());
      std::sort(distinct.begin(), distinct.end());
      const std::set<uint64_t> expected(hashes.begin(), hashes.end());
      ASSERT_EQ(distinct, std::vector<uint64_t>(expected.begin(), expected.end()))
          << "seed " << kSeed << " round " << round;
    }
  });
}

TEST(FeatureCounter, StartsTheNumbersOfItsTableAnewBeforeTheyOverflow) {
  std::mt19937_64 random(kSeed);
  FeatureCounter counter(UINT32_MAX - 900);
  for (int round = 0; round < 40; ++round) {
    std::vector<uint64_t> hashes;
    while (hashes.size() < 90) hashes.push_back(DrawToken(random, hashes));
    const std::set<uint64_t> expected(hashes.begin(), hashes.end());
    ASSERT_EQ(counter.Distinct(hashes).size(), expected.size()) << "round " << round;
  }
}

TEST(FeatureCounter, CountsMoreTokensThanHaveFourSlotsEach) {
  std::vector<uint64_t> tokens;
  std::mt19937_64 random(kSeed);
  for (size_t i = 0; i < 70'000; ++i) tokens.push_back(random());
  tokens.insert(tokens.end(), tokens.begin(), tokens.begin() + 30'000);
  AtEachSimdLevel([&] {
    const Weights weights = Count(tokens, {{tokens.size(), 16}});
    EXPECT_EQ(weights.size(), 70'000U);
    EXPECT_EQ(weights.at(tokens[0]), 16U * 27);
    EXPECT_EQ(weights.at(tokens[69'999]), 16U * 16);
  });
}

}  // namespace
}  // namespace neardup
