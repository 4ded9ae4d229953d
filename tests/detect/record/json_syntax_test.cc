#include "detect/record/json_syntax.h"

#include <gtest/gtest.h>

#include <string>

namespace neardup {
namespace {

TEST(JsonSyntax, RecognisesTheNumbersOfTheGrammar) {
  for (const char* text : {"0", "-0", "1", "10", "-12.50", "0.0", "1e5", "1E+5", "1.5e-07",
                           "123456789012345678901234567890", "1e400"}) {
    EXPECT_TRUE(IsJsonNumber(text)) << text;
  }
  for (const char* text : {"", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1x", "0x1", " 1",
                           "1 ", "NaN", "Infinity", "--1", "1.5.2"}) {
    EXPECT_FALSE(IsJsonNumber(text)) << text;
  }
}

TEST(JsonSyntax, FindsLoneSurrogates) {
  for (const char* raw : {R"(\ud800)", R"(a\udc00)", R"(\ud83d\u0041)", R"(\ud83dx)",
                          R"(\ude00\ud83d)", R"(\ud83d\ud83d\ude00)", R"(\uD83D\)"}) {
    EXPECT_TRUE(HasLoneSurrogate(raw)) << raw;
  }
  for (const char* raw : {"", "plain", R"(\ud83d\ude00)", R"(\uD83D\uDE00\n)", R"(\\ud800)",
                          R"(\u0041)", R"(\\\\udc00)", R"(\n\")"}) {
    EXPECT_FALSE(HasLoneSurrogate(raw)) << raw;
  }
}

TEST(JsonSyntax, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(FirstInvalidUtf8(""), 0U);
  EXPECT_EQ(FirstInvalidUtf8("abc\xffz"), 3U);
  EXPECT_EQ(FirstInvalidUtf8("\xe4\xb8\xad\xe4\xb8"), 3U);
  for (const size_t place : {0U, 1U, 255U, 256U, 65535U, 65536U, 70000U, 200000U}) {
    // Characters of three bytes cross the ends of all stretches that are checked at once.
    std::string text;
    while (text.size() < place) text += "\xe4\xb8\xad";
    const size_t fault = text.size();
    text += "\xc0\xaf tail";
    EXPECT_EQ(FirstInvalidUtf8(text), fault);
    EXPECT_EQ(FirstInvalidUtf8(std::string_view(text).substr(0, fault)), fault);
  }
}

}  // namespace
}  // namespace neardup
