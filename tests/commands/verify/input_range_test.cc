#include "commands/verify/input_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

using testing::HasSubstr;

constexpr int64_t kNowMs = 1'769'860'800'000;  // 2026-01-31 12:00 UTC
constexpr int64_t kHourMs = 3'600'000;

std::string Refusal(const InputRangeText& text) {
  const Result<InputRange> range = ParseInputRange(text, kNowMs);
  EXPECT_FALSE(range.ok());
  if (range.ok()) return "";
  EXPECT_EQ(range.error().code, ErrorCode::kConfig);
  return range.error().text;
}

TEST(InputRange, WithoutOptionsAllRecordsAreMeant) {
  const auto range = ParseInputRange({}, kNowMs);
  ASSERT_TRUE(range.ok());
  EXPECT_TRUE(range->whole());
  EXPECT_TRUE(range->names({"a", 0}));
}

TEST(InputRange, TakesTimesWithAndWithoutAZone) {
  for (const char* text :
       {"2026-01-31T12:00:00Z", "2026-01-31T12:00:00", "2026-01-31T14:00:00+02:00"}) {
    const auto range = ParseInputRange({.from = {text}}, kNowMs);
    ASSERT_TRUE(range.ok()) << range.error().text;
    EXPECT_EQ(range->from_ms, kNowMs) << text;
    EXPECT_FALSE(range->whole());
  }
  const auto range = ParseInputRange({.from = {"2026-01-30"}, .to = {"2026-01-31"}}, kNowMs);
  ASSERT_TRUE(range.ok()) << range.error().text;
  EXPECT_EQ(range->from_ms, kNowMs - 36 * kHourMs);
  EXPECT_EQ(range->to_ms, kNowMs - 12 * kHourMs);
}

TEST(InputRange, SinceIsADurationOrATime) {
  EXPECT_EQ(ParseInputRange({.since = "2h"}, kNowMs)->from_ms, kNowMs - 2 * kHourMs);
  EXPECT_EQ(ParseInputRange({.since = "2026-01-31"}, kNowMs)->from_ms, kNowMs - 12 * kHourMs);
  EXPECT_EQ(ParseInputRange({.to = {"2026-01-31"}, .since = "1d"}, kNowMs)->to_ms,
            kNowMs - 12 * kHourMs);
}

TEST(InputRange, OffsetsMeanOnlyThePartitionsThatAreNamed) {
  const auto range = ParseInputRange({.from = {"a.b/3/500", "c/0/0"}, .to = {"a.b/3/900"}}, kNowMs);
  ASSERT_TRUE(range.ok()) << range.error().text;
  EXPECT_EQ(range->from_offsets.at({"a.b", 3}), 500);
  EXPECT_EQ(range->to_offsets.at({"a.b", 3}), 900);
  EXPECT_TRUE(range->names({"c", 0}));
  EXPECT_FALSE(range->names({"c", 1}));
}

TEST(InputRange, EachMistakeIsNamed) {
  EXPECT_THAT(Refusal({.from = {"yesterday"}}), HasSubstr("--from: found yesterday, expected"));
  EXPECT_THAT(Refusal({.to = {"a/0/-1"}}), HasSubstr("--to: found a/0/-1, expected"));
  EXPECT_THAT(Refusal({.to = {"a/0/1/2"}}), HasSubstr("TOPIC/PARTITION/OFFSET"));
  EXPECT_THAT(Refusal({.since = "2 hours"}), HasSubstr("--since: found 2 hours, expected"));
  EXPECT_THAT(Refusal({.from = {"2026-01-31"}, .since = "2h"}), HasSubstr("either --since or"));
  EXPECT_THAT(Refusal({.from = {"2026-01-31", "2026-01-30"}}), HasSubstr("one time"));
  EXPECT_THAT(Refusal({.from = {"a/0/1", "a/0/2"}}), HasSubstr("each partition once"));
  EXPECT_THAT(Refusal({.from = {"a/0/1"}, .to = {"2026-01-31"}}), HasSubstr("only offsets"));
  EXPECT_THAT(Refusal({.from = {"2026-01-31"}, .to = {"2026-01-31"}}), HasSubstr("after --from"));
  EXPECT_THAT(Refusal({.from = {"a/0/5"}, .to = {"a/0/5"}}), HasSubstr("after --from"));
}

}  // namespace
}  // namespace neardup
