#include <gtest/gtest.h>

#include <utility>

#include "detect/feature/tokeniser.h"

namespace neardup {
namespace {

TEST(Number, HasOneCanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"2.10", "2.1"},
      {"2.1", "2.1"},
      {"2.00", "2"},
      {"0.0", "0"},
      {"-0", "0"},
      {"-0.00", "0"},
      {"-5", "-5"},
      {"+5", "5"},
      {"-2.50", "-2.5"},
      {"100", "100"},
      {"0.05", "0.05"},
      {"007", "007"},
      {" 42\n", "42"},
      {"\u3000７．５０", "7.5"},
      {"－３", "-3"},
      {"\u22123", "-3"},
      {"1e5", "1e5"},
      {"1.50E+05", "1.50e+05"},
      {"-1E-2", "-1e-2"},
      {"123456789012345678901234567890.10", "123456789012345678901234567890.1"}};
  for (const auto& [text, canonical] : cases) {
    std::string out;
    EXPECT_TRUE(CanonicalNumber(text, out)) << text;
    EXPECT_EQ(out, canonical);
  }
}

TEST(Number, KeepsItsZerosIfItIsText) {
  const std::pair<const char*, const char*> cases[] = {
      {"2.10", "2.10"}, {"2.00", "2.00"}, {"+1.50", "1.50"}, {"-0.0", "0.0"}, {"７．５０", "7.50"}};
  for (const auto& [text, canonical] : cases) {
    std::string out;
    EXPECT_TRUE(CanonicalNumber(text, out, /*keep_zeros=*/true)) << text;
    EXPECT_EQ(out, canonical);
  }
}

TEST(Number, IsNotATextThatOnlyLooksLikeOne) {
  std::string out;
  for (const char* text :
       {"",           " ",     "-",   "+",  ".",     "5.",    ".5", "1,5",   "1 5",
        "2026-01-31", "1.2.3", "--5", "5-", "1e",    "1e+",   "e5", "1e5.0", "0x10",
        "5a",         "５ａ",  "$5",  "五", "12:30", "1e5e5", "-e5"}) {
    EXPECT_FALSE(CanonicalNumber(text, out)) << text;
  }
}

}  // namespace
}  // namespace neardup
