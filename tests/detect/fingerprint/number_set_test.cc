#include "detect/fingerprint/number_set.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "detect/base/each_of.h"
#include "detect/base/simd_levels.h"

namespace neardup {
namespace {

TEST(IsNumber, TakesCountsAmountsOrdinalsAndSizes) {
  for (const char* token :
       {"3", "0", "2026", "007", "-5", "+3", "12.5", "-0.25", "128gb", "5th", "3m", "40%", "1.5kg",
        "123456789012", "123456789abc", "٣", "३७", "๒๕"}) {
    EXPECT_TRUE(IsNumber(token)) << token;
  }
}

TEST(IsNumber, TakesCodesOfModelsBatchesAndParts) {
  for (const char* token : {"v3", "l0428", "iphone13", "x200b", "m8x40", "a8", "abcdefgh12"}) {
    EXPECT_TRUE(IsNumber(token)) << token;
  }
}

TEST(IsNumber, TakesWhatStandsForAQuote) {
  EXPECT_TRUE(IsNumber(">8f14e45f"));
  EXPECT_FALSE(IsNumber(">"));
  EXPECT_EQ(std::popcount(NumberSet("thanks >8f14e45f a > b ")), 2);
}

TEST(IsNumber, TakesNoWordsIdentifiersHashesAndMasks) {
  for (const char* token :
       EachOf("", "-", "+", ".", "5.", ".5", "1.2.3", "a8bc3x", "abcdefghi12", "fie1d", "al1",
              "e4d909c", "a-8", "ä8", "2bc9def", "3abcd", "8f14e45f", "1e5", "12gb3", "5.a5", "--5",
              "1234567890123", "1234567890abc", "volume", "第", "\x05", "3.4kg.", "½")) {
    EXPECT_FALSE(IsNumber(token)) << token;
  }
}

TEST(NumberSet, HasTwoBitsForEachNumberWhereverItStands) {
  EXPECT_EQ(NumberSet(""), 0U);
  EXPECT_EQ(NumberSet("no number here "), 0U);
  const uint64_t three = NumberSet("3 ");
  const uint64_t four = NumberSet("4 ");
  EXPECT_EQ(std::popcount(three), 2);
  EXPECT_NE(three, four);
  EXPECT_EQ(NumberSet("4 volume 3 of 4 "), three | four);
  EXPECT_EQ(NumberSet("volumes3to4 word1 1a2b3c4d5 3abcd "), 0U);
  const uint64_t code = NumberSet("m8x40 ");
  EXPECT_EQ(std::popcount(code), 2);
  EXPECT_EQ(NumberSet("screws of size m8x40 zinc plated "), code);
}

TEST(NumberSet, IsTheUnionOfItsTokensInTextsOfAnyLength) {
  constexpr uint64_t kSeed = 8;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  const std::vector<std::string> stock = {"a",
                                          "word",
                                          "longer-than-most-words",
                                          "本",
                                          "٣",
                                          "-12",
                                          "+7",
                                          "128gb",
                                          "3",
                                          "deadbeef",
                                          "m8x40",
                                          "l0428",
                                          "8f14e45fceea167a5a36dedd4bea2543"};
  AtEachSimdLevel([&] {
    std::mt19937_64 random(kSeed);
    for (int text = 0; text < 2000; ++text) {
      std::string tokens;
      uint64_t expected = 0;
      for (uint64_t count = random() % 60; count > 0; --count) {
        const std::string& token = stock[random() % stock.size()];
        tokens += token + ' ';
        expected |= NumberSet(token + ' ');
      }
      ASSERT_EQ(NumberSet(tokens), expected) << tokens;
    }
  });
}

/// FORMAT: changelogs hold these sets.
TEST(NumberSet, NeverChanges) {
  EXPECT_EQ(NumberSet("volume 3 "), 0x1000004000000U);
  EXPECT_EQ(NumberSet("-5 128gb 2026 "), 0x1108002048000U);
}

TEST(NumberSet, TellsMoreThan998InAThousandSingleNumbersApart) {
  int equal = 0;
  for (int number = 1; number < 20'000; ++number) {
    const auto set = [](int value) { return NumberSet(std::to_string(value) + ' '); };
    EXPECT_EQ(std::popcount(set(number)), 2);
    equal += set(number) == set(number + 1) ? 1 : 0;
  }
  EXPECT_LT(equal, 40);
}

}  // namespace
}  // namespace neardup
