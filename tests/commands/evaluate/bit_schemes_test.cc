#include <gtest/gtest.h>

#include "commands/evaluate/scheme_record.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

using Words = std::vector<uint64_t>;

TEST(SimhashScheme, GivesEachDistinctTokenOneVote) {
  const auto scheme = Made("simhash", {{"distance_max", 3}});
  const uint64_t a = Hash64("a");
  const uint64_t b = Hash64("b");
  const uint64_t c = Hash64("c");
  EXPECT_EQ(SketchOf(*scheme, {"a"}).words, (Words{a}));
  EXPECT_EQ(SketchOf(*scheme, {"a a a b", "C"}).words, (Words{(a & b) | (a & c) | (b & c)}));
  EXPECT_EQ(SketchOf(*scheme, {}).words, (Words{0}));
}

TEST(SimhashScheme, HasAKeyForEachOfFourBlocksOrMore) {
  const uint64_t a = Hash64("a");
  EXPECT_EQ(SketchOf(*Made("simhash", {{"distance_max", 3}}), {"a"}).keys,
            (Words{Mix64((a & 0xFFFF) << 8), Mix64((a >> 16 & 0xFFFF) << 8 | 1),
                   Mix64((a >> 32 & 0xFFFF) << 8 | 2), Mix64((a >> 48) << 8 | 3)}));
  // Five blocks of 12 or 13 bits: 0, 12, 25, 38, 51.
  const auto keys = SketchOf(*Made("simhash", {{"distance_max", 4}}), {"a"}).keys;
  ASSERT_EQ(keys.size(), 5U);
  EXPECT_EQ(keys[1], Mix64((a >> 12 & 0x1FFF) << 8 | 1));
  EXPECT_EQ(keys[4], Mix64((a >> 51) << 8 | 4));
}

TEST(SimhashScheme, MeasuresHammingDistance) {
  const auto scheme = Made("simhash", {{"distance_max", 3}});
  EXPECT_EQ(scheme->Distance(Words{0b1011}, Words{0b1011}), 0);
  EXPECT_EQ(scheme->Distance(Words{0b1011}, Words{0b0110}), 3);
  EXPECT_EQ(scheme->Distance(Words{0b1011}, Words{0b0100}), std::nullopt);
}

TEST(SimhashTf, GivesATokenAVoteForEachTimeItStands) {
  const auto scheme = Made("simhash-tf", {{"distance_max", 3}});
  EXPECT_EQ(SketchOf(*scheme, {"a b a", "c a"}).words, (Words{Hash64("a")}));
  const uint64_t b = Hash64("b");
  const uint64_t c = Hash64("c");
  EXPECT_EQ(SketchOf(*scheme, {"b b c c"}).words, (Words{b & c}));
}

TEST(RandomProjection, HasSixWordsOfSigns) {
  const auto scheme = Made("random-projection", {{"distance_max", 12}});
  const uint64_t a = Hash64("a");
  const Sketch sketch = SketchOf(*scheme, {"a a b"});
  ASSERT_EQ(sketch.words.size(), 6U);
  for (uint64_t j = 0; j < 6; ++j) EXPECT_EQ(sketch.words[j], Mix64(a + j + 1));
  // 13 blocks of 29 or 30 bits; the third begins at 59 and reaches into the second word.
  ASSERT_EQ(sketch.keys.size(), 13U);
  const uint64_t block = (sketch.words[0] >> 59 | sketch.words[1] << 5) & 0x1FFFFFFF;
  EXPECT_EQ(sketch.keys[2], Mix64(block << 8 | 2));
}

TEST(RandomProjection, CountsTheBitsThatDifferInAllWords) {
  const auto scheme = Made("random-projection", {{"distance_max", 12}});
  const Words zero(6);
  EXPECT_EQ(scheme->Distance(zero, Words{3, 3, 3, 3, 3, 3}), 12);
  EXPECT_EQ(scheme->Distance(zero, Words{3, 3, 3, 3, 3, 7}), std::nullopt);
}

}  // namespace
}  // namespace neardup
