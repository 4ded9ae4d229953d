#include <gtest/gtest.h>

#include "detect/base/message_text.h"

namespace neardup {
namespace {

TEST(PrintableText, HoldsNoControlCharacters) {
  EXPECT_EQ(PrintableText("a\x1b[2J\x07\x7f\r", true), "a\\u001B[2J\\u0007\\u007F\\u000D");
  EXPECT_EQ(PrintableText("a\xc2\x9b"
                          "b",
                          true),
            "a\\u009Bb");
  EXPECT_EQ(PrintableText(std::string_view("\0", 1), true), "\\u0000");
}

TEST(PrintableText, KeepsAllElse) {
  for (const char* text :
       {"", "a\tb", "caf\xc3\xa9 \xe4\xb8\x80 \xf0\x9f\x98\x80", "\xc2\xa0", "\x9b"}) {
    EXPECT_EQ(PrintableText(text, false), text);
  }
}

TEST(PrintableText, KeepsLineEndsOnRequest) {
  EXPECT_EQ(PrintableText("a\nb", true), "a\nb");
  EXPECT_EQ(PrintableText("a\nb", false), "a\\u000Ab");
}

}  // namespace
}  // namespace neardup
