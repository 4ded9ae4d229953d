#include "bench/text_set.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace neardup {
namespace {

using Texts = std::vector<std::string>;

Texts Of(const TextSet& set) { return {set.texts().begin(), set.texts().end()}; }

TEST(TextSet, KeepsTheFirstOfEqualTextsInOrder) {
  const TextSet set(Texts{"b", "a", "", "b", "ab", "a"});
  EXPECT_EQ(Of(set), (Texts{"b", "a", "", "ab"}));
  EXPECT_EQ(set.bytes(), 4u);
}

TEST(TextSet, OutlivesWhatItWasMadeOf) {
  auto texts =
      std::make_unique<Texts>(Texts{"short", "long enough to stand on the heap by itself"});
  TextSet first(*texts);
  texts.reset();
  const TextSet moved = std::move(first);
  EXPECT_EQ(Of(moved), (Texts{"short", "long enough to stand on the heap by itself"}));
}

TEST(ShortTexts, AreAsManyDistinctOnesAsAskedFor) {
  const Texts texts = Of(ShortTexts(5000, 3));
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 5000u);
  for (const std::string& text : texts) {
    ASSERT_GE(text.size(), 4u);
    ASSERT_LE(text.size(), 16u);
  }
}

TEST(TwinTexts, DifferFromTheFirstOfTheirGroupInOneCharacter) {
  const Texts texts = Of(TwinTexts(1000, 3));
  ASSERT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), 1000u);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& original = texts[i - i % 64];
    ASSERT_EQ(texts[i].size(), 64u);
    int different = 0;
    for (size_t at = 0; at < 64; ++at) different += texts[i][at] != original[at];
    ASSERT_EQ(different, i % 64 == 0 ? 0 : 1) << "text " << i;
  }
}

TEST(MadeUpTexts, AreTheSameForTheSameSeedOnly) {
  EXPECT_EQ(Of(ShortTexts(50, 1)), Of(ShortTexts(50, 1)));
  EXPECT_NE(Of(ShortTexts(50, 1)), Of(ShortTexts(50, 2)));
  EXPECT_EQ(Of(TwinTexts(50, 1)), Of(TwinTexts(50, 1)));
  EXPECT_NE(Of(TwinTexts(50, 1)), Of(TwinTexts(50, 2)));
}

TEST(TokensOf, AreThoseOfTheServiceEachOnce) {
  const std::vector<std::string_view> texts = {"The bridge, the <b>harbour</b>", "", "天天 bridge"};
  EXPECT_EQ(Of(TokensOf(texts)), (Texts{"the", "bridge", "harbour", "天"}));
}

}  // namespace
}  // namespace neardup
