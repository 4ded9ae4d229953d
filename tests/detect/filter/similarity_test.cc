// Near records share about MatchOptions::similarity of their phrases, or more.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "detect/base/random.h"
#include "detect/index/match.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr uint64_t kSeed = 11;
using Words = std::vector<std::string>;

Words RandomWords(SeededRandom& random, size_t count) {
  Words words(count);
  for (std::string& word : words) {
    for (int i = 0; i < 7; ++i) word += static_cast<char>('a' + random.Below(26));
  }
  return words;
}

double SharedPhrases(const Words& a, const Words& b) {
  const auto phrases = [](const Words& words) {
    std::set<std::tuple<std::string, std::string, std::string>> all;
    for (size_t i = 2; i < words.size(); ++i) all.emplace(words[i - 2], words[i - 1], words[i]);
    return all;
  };
  const auto of_a = phrases(a);
  const auto of_b = phrases(b);
  const auto shared = std::count_if(of_a.begin(), of_a.end(),
                                    [&](const auto& each) { return of_b.contains(each); });
  return static_cast<double>(shared) / static_cast<double>(std::min(of_a.size(), of_b.size()));
}

FingerprintedRecord Fingerprinted(Fingerprinter& fingerprinter, const Words& words) {
  std::string payload = R"({"text":")";
  for (const std::string& word : words) payload += word + ' ';
  payload += "\"}";
  return fingerprinter.Compute({{0, 0}, 0, payload});
}

/// Of pairs of texts that share about `shared` of their phrases, the part that is near.
double Accepted(double shared, double similarity) {
  constexpr size_t kWords = 150;
  constexpr int kPairs = 100;
  FilterOptions options;
  options.match.similarity = similarity;
  options.match.distance_max = MatchOptions::kDistanceMaxRange.max;
  options.match.distance_sum_max = MatchOptions::kDistanceSumMaxRange.max;
  options.match.features_per_bit = 0;
  Fingerprinter fingerprinter(options);
  SeededRandom random(kSeed);
  int accepted = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const Words original = RandomWords(random, kWords);
    Words copy = original;
    while (SharedPhrases(original, copy) > shared) {
      copy[random.Below(kWords)] = RandomWords(random, 1)[0];
    }
    const FingerprintedRecord a = Fingerprinted(fingerprinter, original);
    const FingerprintedRecord b = Fingerprinted(fingerprinter, copy);
    accepted += Accepts(options.match, NearnessOf(b.fingerprint, a.fingerprint, 0, b.features));
  }
  return static_cast<double>(accepted) / kPairs;
}

TEST(Similarity, AcceptsMostPairsThatShareMorePhrases) {
  for (const double similarity : {0.6, 0.7, 0.8}) {
    EXPECT_GT(Accepted(similarity + 0.15, similarity), 0.8) << similarity;
  }
  EXPECT_GT(Accepted(0.99, 0.95), 0.8);
}

TEST(Similarity, RefusesMostPairsThatShareFewerPhrases) {
  for (const double similarity : {0.6, 0.7, 0.8, 0.95}) {
    EXPECT_LT(Accepted(similarity - 0.3, similarity), 0.1) << similarity;
  }
}

TEST(Similarity, IsRefusedBeyondItsRange) {
  for (const double similarity : {-0.1, 0.01, 0.49, 0.96, 1.0}) {
    FilterOptions options;
    options.match.similarity = similarity;
    const Result<void> checked = CheckOptions(options);
    ASSERT_FALSE(checked.ok()) << similarity;
    EXPECT_NE(checked.error().text.find("match.similarity"), std::string::npos);
  }
  for (const double similarity : {0.0, 0.5, 0.95}) {
    FilterOptions options;
    options.match.similarity = similarity;
    EXPECT_TRUE(CheckOptions(options).ok()) << similarity;
  }
}

}  // namespace
}  // namespace neardup
