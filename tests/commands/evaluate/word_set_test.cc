#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "commands/evaluate/scheme.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

using Words = std::vector<uint64_t>;

TEST(WordSet, HashFoldsTheWordsAsDefined) {
  EXPECT_EQ(HashWords(Words{}), Mix64(0));
  EXPECT_EQ(HashWords(Words{7, 9}), Mix64(Mix64(Mix64(2) + 7) + 9));
}

TEST(WordSet, MeasuresAgreeWithAHandWorkedExample) {
  const Words a = {1, 2, 3, 5};
  const Words b = {2, 5, 6};
  EXPECT_EQ(CountShared(a, b), 2U);
  EXPECT_DOUBLE_EQ(ShareOfLarger(a, b), 0.5);
  EXPECT_DOUBLE_EQ(Jaccard(a, b), 0.4);
  EXPECT_DOUBLE_EQ(Jaccard(a, a), 1.0);
  EXPECT_DOUBLE_EQ(Jaccard(a, Words{}), 0.0);
  EXPECT_DOUBLE_EQ(Jaccard(Words{}, Words{}), 1.0);
  EXPECT_DOUBLE_EQ(ShareOfLarger(Words{}, Words{}), 1.0);
}

TEST(WordSet, DistanceIsTheDifferingPartInThousandths) {
  EXPECT_EQ(DistanceOf(1.0, 0.7), 0);
  EXPECT_EQ(DistanceOf(0.75, 0.7), 250);
  EXPECT_EQ(DistanceOf(0.7, 0.7), 300);
  EXPECT_EQ(DistanceOf(2.0 / 3.0, 0.6), 333);
  EXPECT_EQ(DistanceOf(0.699, 0.7), std::nullopt);
}

TEST(WordSet, PrefixKeysAreTheSmallestWords) {
  Sketch sketch{.words = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, .keys = {}};
  TakePrefixKeys(0.7, sketch);
  EXPECT_EQ(sketch.keys, (Words{1, 2, 3, 4}));
  TakePrefixKeys(1.0, sketch);
  EXPECT_EQ(sketch.keys, (Words{1}));
  sketch.words.clear();
  TakePrefixKeys(0.7, sketch);
  EXPECT_EQ(sketch.keys, (Words{kNothingKey}));
}

TEST(WordSet, SimilarSetsShareAPrefixKey) {
  constexpr uint32_t kSeed = 20260201;
  std::mt19937_64 random(kSeed);
  int similar = 0;
  for (int round = 0; round < 20'000; ++round) {
    Sketch a;
    Sketch b;
    for (uint64_t word = 1; word <= 30; ++word) {
      const uint64_t dice = random() % 20;
      if (dice < 12) a.words.push_back(word);
      if (dice < 11 || dice == 13) b.words.push_back(word);
    }
    const double similarity_min = 0.05 * static_cast<double>(1 + random() % 20);
    TakePrefixKeys(similarity_min, a);
    TakePrefixKeys(similarity_min, b);
    if (!DistanceOf(ShareOfLarger(a.words, b.words), similarity_min)) continue;
    ++similar;
    const bool shared = std::find_first_of(a.keys.begin(), a.keys.end(), b.keys.begin(),
                                           b.keys.end()) != a.keys.end();
    ASSERT_TRUE(shared) << "seed " << kSeed << " round " << round;
  }
  EXPECT_GT(similar, 5000);
}

}  // namespace
}  // namespace neardup
