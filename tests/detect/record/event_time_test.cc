#include "detect/record/event_time.h"

#include <gtest/gtest.h>

#include "detect/base/each_of.h"

namespace neardup {
namespace {

std::optional<int64_t> Rfc3339(std::string_view text) {
  return ParseEventTime(text, TimeFormat::kRfc3339);
}
std::optional<int64_t> Milliseconds(std::string_view text) {
  return ParseEventTime(text, TimeFormat::kMilliseconds);
}
std::optional<int64_t> Seconds(std::string_view text) {
  return ParseEventTime(text, TimeFormat::kSeconds);
}

TEST(EventTime, ReadsRfc3339) {
  EXPECT_EQ(Rfc3339("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(Rfc3339("2026-01-31T12:00:00Z"), 1769860800000);
  EXPECT_EQ(Rfc3339("2026-01-31t12:00:00z"), 1769860800000);
  EXPECT_EQ(Rfc3339("2026-01-31 12:00:00Z"), 1769860800000);
  EXPECT_EQ(Rfc3339("2026-01-31T13:30:00+01:30"), 1769860800000);
  EXPECT_EQ(Rfc3339("2026-01-31T10:00:00-02:00"), 1769860800000);
  EXPECT_EQ(Rfc3339("2026-01-31T12:00:00-00:00"), 1769860800000);
  EXPECT_EQ(Rfc3339("1969-12-31T23:59:59.999Z"), -1);
  EXPECT_EQ(Rfc3339("2024-02-29T00:00:00Z"), 1709164800000);
}

TEST(EventTime, CutsOffFractionsBelowAMillisecond) {
  EXPECT_EQ(Rfc3339("1970-01-01T00:00:00.5Z"), 500);
  EXPECT_EQ(Rfc3339("1970-01-01T00:00:00.123456789Z"), 123);
  EXPECT_EQ(Rfc3339("1970-01-01T00:00:00.9999999Z"), 999);
}

TEST(EventTime, TakesALeapSecondAsTheLastMillisecondBefore) {
  EXPECT_EQ(Rfc3339("2016-12-31T23:59:60Z"), 1483228799999);
  EXPECT_EQ(Rfc3339("2016-12-31T23:59:60.5Z"), 1483228799999);
  EXPECT_EQ(Rfc3339("2016-12-31T23:59:61Z"), std::nullopt);
}

TEST(EventTime, ReadsItsRangeToTheMillisecond) {
  EXPECT_EQ(Rfc3339("0001-01-01T00:00:00Z"), -62135596800000);
  EXPECT_EQ(Rfc3339("9999-12-31T23:59:59.999Z"), 253402300799999);
  EXPECT_EQ(Rfc3339("0001-01-01T00:00:00+00:01"), std::nullopt);
  EXPECT_EQ(Rfc3339("9999-12-31T23:59:59.999-00:01"), std::nullopt);
  EXPECT_EQ(Rfc3339("0000-12-31T00:00:00Z"), std::nullopt);
  EXPECT_EQ(Milliseconds("-62135596800000"), -62135596800000);
  EXPECT_EQ(Milliseconds("-62135596800001"), std::nullopt);
  EXPECT_EQ(Milliseconds("253402300799999"), 253402300799999);
  EXPECT_EQ(Milliseconds("253402300800000"), std::nullopt);
  EXPECT_EQ(Seconds("253402300799.999"), 253402300799999);
  EXPECT_EQ(Seconds("253402300800"), std::nullopt);
  EXPECT_EQ(Seconds("-62135596800"), -62135596800000);
  EXPECT_EQ(Seconds("-62135596800.001"), std::nullopt);
}

TEST(EventTime, RefusesTextThatIsNotRfc3339) {
  for (const char* text :
       EachOf("", "now", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31T12:00Z",
              "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
              "2026-01-32T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
              "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00,5Z", "2026-01-31T12:00:00+0100",
              "2026-01-31T12:00:00+24:00", "2026-01-31T12:00:00+01:60", "2026-01-31T12:00:00Z ",
              " 2026-01-31T12:00:00Z", "26-01-31T12:00:00Z", "2026-1-31T12:00:00Z",
              "12026-01-31T12:00:00Z", "2026/01/31T12:00:00Z", "1769860800000")) {
    EXPECT_EQ(Rfc3339(text), std::nullopt) << text;
  }
}

TEST(EventTime, ReadsNumbersWithAndWithoutAnExponent) {
  EXPECT_EQ(Milliseconds("1769860800000"), 1769860800000);
  EXPECT_EQ(Milliseconds("1.7698608E12"), 1769860800000);
  EXPECT_EQ(Milliseconds("1769860800000.0"), 1769860800000);
  EXPECT_EQ(Seconds("1769860800"), 1769860800000);
  EXPECT_EQ(Seconds("1769860800.123"), 1769860800123);
  EXPECT_EQ(Seconds("1.769860800123E9"), 1769860800123);
  EXPECT_EQ(Seconds("-0.001"), -1);
}

TEST(EventTime, RefusesTextThatIsNoNumberOfItsUnit) {
  for (const char* text : {"", "x", "1x", " 1", "1 ", "nan", "inf", "-inf", "1e300", "0x10"}) {
    EXPECT_EQ(Milliseconds(text), std::nullopt) << text;
    EXPECT_EQ(Seconds(text), std::nullopt) << text;
  }
  EXPECT_EQ(Milliseconds("1.5"), std::nullopt);
}

}  // namespace
}  // namespace neardup
