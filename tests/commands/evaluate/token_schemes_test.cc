#include <gtest/gtest.h>

#include <algorithm>

#include "commands/evaluate/scheme.h"
#include "commands/evaluate/scheme_record.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

std::vector<uint64_t> Hashes(const std::vector<std::string>& tokens) {
  std::vector<uint64_t> hashes;
  for (const std::string& token : tokens) hashes.push_back(Hash64(token));
  return hashes;
}

std::vector<uint64_t> Sorted(const std::vector<std::string>& tokens) {
  auto hashes = Hashes(tokens);
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

SharedFrequencies Learn(const std::vector<std::string>& records) {
  auto frequencies = std::make_shared<DocumentFrequencies>();
  for (const std::string& text : records) {
    frequencies->Add(DistinctTokens(SchemeRecord{text}.texts()));
  }
  return frequencies;
}

TEST(MultiMd5Tokens, HashesTheMostFrequentAndAllDistinctTokens) {
  const auto scheme = Made("multi-md5-tokens", {{"first_tokens", 2}, {"equal_share_min", 0.5}});
  const Sketch sketch = SketchOf(*scheme, {"c a a b b b"});
  std::vector<uint64_t> words = Sorted({"a", "b", "c"});
  words.insert(words.begin(), HashWords(Sorted({"a", "b"})));
  EXPECT_EQ(sketch.words, words);
  EXPECT_EQ(sketch.keys, (std::vector<uint64_t>{words[0]}));
}

TEST(MultiMd5Tokens, NeedsTheMostFrequentAndHalfOfAllTokensEqual) {
  const auto scheme = Made("multi-md5-tokens", {{"first_tokens", 1}, {"equal_share_min", 0.5}});
  const SchemeRecord earlier{"a a a b c d"};
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"d c b a a a"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"a a b x y"}), 500);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"a a b x y z"}), std::nullopt);  // 2 of 5
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"a a b c y"}), 250);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"a b b c d"}), std::nullopt);
}

TEST(IMatch, HashesTheTokensThatAreNeitherRareNorCommon) {
  const auto frequencies = Learn({"the red fox", "the red hen", "the old fox", "the end"});
  // The lexicon holds the tokens of exactly 2 records: red and fox.
  const auto scheme = Made("i-match", {{"records_min", 2}, {"record_share_max", 0.5}}, frequencies);
  EXPECT_EQ(SketchOf(*scheme, {"The new red fox fox"}).words,
            (std::vector<uint64_t>{HashWords(Sorted({"red", "fox"}))}));
  EXPECT_EQ(DistanceOf(*scheme, {"the red fox"}, {"a fox, so red"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"the red fox"}, {"the red hen"}), std::nullopt);
}

TEST(IMatch, ComparesAllTokensIfNoneIsInTheLexicon) {
  const auto scheme =
      Made("i-match", {{"records_min", 2}, {"record_share_max", 0.5}}, Learn({"a", "b"}));
  EXPECT_EQ(DistanceOf(*scheme, {"x y"}, {"y x"}), 0);
  EXPECT_EQ(DistanceOf(*scheme, {"x y"}, {"x z"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, {"x"}, {""}), std::nullopt);
}

TEST(IdfString, HashesTheRarestTokens) {
  const auto frequencies = Learn({"the red fox", "the red hen", "the old fox", "the end"});
  const auto scheme = Made("idf-string", {{"token_share", 0.5}}, frequencies);
  // The 3 rarest of 5 distinct tokens: new (0 records), old (1), hen (1); not red (2) and the (4).
  EXPECT_EQ(SketchOf(*scheme, {"the new red old hen"}).words,
            (std::vector<uint64_t>{HashWords(Sorted({"new", "old", "hen"}))}));
  EXPECT_EQ(DistanceOf(*scheme, {"the new hen old"}, {"a new hen red"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, {"red new hen the"}, {"the the new fox hen"}), 0);
}

TEST(PageAttributes, HoldTopTokensInBothOrdersTheirWeightAndASummary) {
  const auto scheme = Made("page-attributes", {{"top_tokens", 2}, {"weight_ratio_min", 0.8}});
  const Sketch sketch = SketchOf(*scheme, {"A a. b b b c. a A d"});
  const uint64_t in_order = HashWords(Hashes({"a", "b"}));
  const uint64_t ascending = HashWords(Sorted({"a", "b"}));
  EXPECT_EQ(sketch.words, (std::vector<uint64_t>{in_order, ascending, 7, Hash64("b b b c ")}));
  EXPECT_EQ(sketch.keys, (std::vector<uint64_t>{ascending, Hash64("b b b c ")}));
}

TEST(PageAttributes, WeighByCountAndRarity) {
  const auto frequencies = Learn({"a b", "a c", "a d"});
  const auto scheme =
      Made("page-attributes", {{"top_tokens", 1}, {"weight_ratio_min", 0.8}}, frequencies);
  // a: 2 x 256 (1 + ln 1) = 512; b: 256 (1 + ln 2) = 433; x: 256 (1 + ln 4) = 611.
  EXPECT_EQ(SketchOf(*scheme, {"a a b"}).words[2], 512U);
  EXPECT_EQ(SketchOf(*scheme, {"a b"}).words[2], 433U);
  EXPECT_EQ(SketchOf(*scheme, {"a a b x"}).words[2], 611U);
}

TEST(PageAttributes, TakeOrderThenWeightThenSummary) {
  const auto scheme = Made("page-attributes", {{"top_tokens", 2}, {"weight_ratio_min", 0.8}});
  const SchemeRecord earlier{"a a a b b. x y z."};
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"b. b. a. a. a. a. a. a."}), 0);
  // a, b as top tokens in the other order: weight 5 against 5, then against 11.
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"b b. b a. a"}), 1);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"b b b. b b b. a a a. a a"}), std::nullopt);
  EXPECT_EQ(DistanceOf(*scheme, earlier, {"a a a b b. c c c c. d d d d."}), 2);
}

}  // namespace
}  // namespace neardup
