#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "detect/base/random.h"
#include "learn/words.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;

TextStretch Same(const std::string& text) { return {text, false}; }
TextStretch Differs(const std::string& text) { return {text, true}; }

TEST(WordDifference, MarksTheWordsThatTheOtherTextLacks) {
  const WordDifference found =
      CompareWords("Council approves the new bridge", "council approves a bridge now");
  EXPECT_THAT(found.earlier,
              ElementsAre(Same("Council approves "), Differs("the new "), Same("bridge")));
  EXPECT_THAT(found.later, ElementsAre(Same("council approves "), Differs("a "), Same("bridge "),
                                       Differs("now")));
}

TEST(WordDifference, HandlesEqualAndEmptyTexts) {
  EXPECT_THAT(CompareWords("a b", "a b").later, ElementsAre(Same("a b")));
  EXPECT_THAT(CompareWords("", "a b").earlier, ElementsAre());
  EXPECT_THAT(CompareWords("", "a b").later, ElementsAre(Differs("a b")));
}

TEST(WordDifference, ComparesHanTextsByCharacter) {
  EXPECT_THAT(CompareWords("今天天气好", "今天气好").earlier,
              ElementsAre(Same("今天"), Differs("天"), Same("气好")));
}

TEST(WordDifference, LeavesOutTheMiddleOfLongStretches) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "w" + std::to_string(i) + " ";
  const WordDifference found = CompareWords(text + "end", text + "other");
  ASSERT_EQ(found.earlier.size(), 2U);
  EXPECT_EQ(found.earlier[0].text,
            "w0 w1 w2 w3 w4 w5 w6 w7 \u2026 w92 w93 w94 w95 w96 w97 w98 w99 ");
  EXPECT_EQ(found.earlier[1], Differs("end"));
  EXPECT_EQ(found.later[1], Differs("other"));
}

TEST(WordDifference, CutsVeryLongTexts) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "w" + std::to_string(i) + " ";
  const WordDifference found = CompareWords(text, "nothing");
  EXPECT_EQ(found.earlier.back().text, "\u2026 ");
  EXPECT_LT(found.earlier[0].text.size(), 1000U);
}

/// Length of a longest common subsequence, by definition.
size_t Common(const std::vector<CutWord>& a, const std::vector<CutWord>& b, size_t i, size_t j) {
  if (i == a.size() || j == b.size()) return 0;
  if (a[i].text == b[j].text) return 1 + Common(a, b, i + 1, j + 1);
  return std::max(Common(a, b, i + 1, j), Common(a, b, i, j + 1));
}

TEST(WordDifference, FindsALongestCommonSubsequence) {
  SeededRandom random(4);
  for (int round = 0; round < 300; ++round) {
    const auto text = [&] {
      std::string words;
      for (uint64_t n = random.Below(9); n > 0; --n) {
        words += std::string(1, static_cast<char>('a' + random.Below(4))) + " ";
      }
      return words;
    };
    const std::string a = text();
    const std::string b = text();
    const WordDifference found = CompareWords(a, b);
    const auto shared = [](const std::vector<TextStretch>& side) {
      std::string all;
      for (const TextStretch& stretch : side) all += stretch.differs ? "" : stretch.text;
      return all;
    };
    EXPECT_EQ(shared(found.earlier), shared(found.later)) << a << "/ " << b;
    EXPECT_EQ(shared(found.earlier).size(),
              2 * Common(CutIntoWords(a).words, CutIntoWords(b).words, 0, 0))
        << a << "/ " << b;
  }
}

}  // namespace
}  // namespace neardup
