#include "detect/base/quantity.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace neardup {
namespace {

TEST(Quantity, IntegersAreDecimalWithoutLeadingZeros) {
  EXPECT_EQ(ParseInteger("0"), 0);
  EXPECT_EQ(ParseInteger("-1"), -1);
  EXPECT_EQ(ParseInteger("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "-", "-0", "+1", "010", "0x10", "1_000", "1.0", "1e3", " 1", "1 ",
                           "9223372036854775808", "1:30"}) {
    EXPECT_EQ(ParseInteger(text), std::nullopt) << text;
  }
}

TEST(Quantity, TimesHaveAUnit) {
  EXPECT_EQ(ParseDuration("100ms"), 100);
  EXPECT_EQ(ParseDuration("30s"), 30'000);
  EXPECT_EQ(ParseDuration("10m"), 600'000);
  EXPECT_EQ(ParseDuration("24h"), 86'400'000);
  EXPECT_EQ(ParseDuration("7d"), 604'800'000);
  for (const char* text : {"", "10", "ms", "-1s", "1.5h", "10 m", "10M", "10min", "1h30m", "01s",
                           "9223372036854775807d", "99999999999999999999s"}) {
    EXPECT_EQ(ParseDuration(text), std::nullopt) << text;
  }
}

TEST(Quantity, SizesHaveAUnitOfThousandsOrOf1024s) {
  EXPECT_EQ(ParseBytes("5B"), 5);
  EXPECT_EQ(ParseBytes("1KB"), 1000);
  EXPECT_EQ(ParseBytes("1KiB"), 1024);
  EXPECT_EQ(ParseBytes("8MiB"), 8 << 20);
  EXPECT_EQ(ParseBytes("2MB"), 2'000'000);
  EXPECT_EQ(ParseBytes("1GB"), 1'000'000'000);
  EXPECT_EQ(ParseBytes("1GiB"), 1 << 30);
  for (const char* text :
       {"", "10", "B", "1K", "1kb", "1TB", "-1B", "1.5MiB", "9999999999999GiB"}) {
    EXPECT_EQ(ParseBytes(text), std::nullopt) << text;
  }
}

TEST(Quantity, TextsReadBackAsTheSameValue) {
  for (int64_t value : {0L, 1L, 999L, 1000L, 1024L, 1500L, 60'000L, 86'400'000L, 604'800'000L,
                        8L << 20, 64'000'000L, 315'360'000'000L, 1L << 30, 1'000'000'007L}) {
    EXPECT_EQ(ParseDuration(DurationText(value)), value) << DurationText(value);
    EXPECT_EQ(ParseBytes(BytesText(value)), value) << BytesText(value);
  }
}

TEST(Quantity, TextsAreWhatAPersonWouldWrite) {
  EXPECT_EQ(DurationText(100), "100ms");
  EXPECT_EQ(DurationText(600'000), "10m");
  EXPECT_EQ(DurationText(86'400'000), "24h");
  EXPECT_EQ(DurationText(172'800'000), "48h");
  EXPECT_EQ(DurationText(604'800'000), "7d");
  EXPECT_EQ(BytesText(8 << 20), "8MiB");
  EXPECT_EQ(BytesText(1'000'000'000), "1GB");
}

}  // namespace
}  // namespace neardup
