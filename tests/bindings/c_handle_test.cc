// What a handle gives besides verdicts: texts, settings, a clock, and records with null values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/c_caller.h"

namespace neardup {
namespace {

using testing::HasSubstr;

TEST(CHandle, SaysWhyARecordIsADeadLetterUntilTheNextCall) {
  const OwnedFilter filter = NewFilter();
  const std::vector<std::string> payloads = {R"({"title": "a b"})", "{", "[]", R"({"x": 1})"};
  const std::vector<neardup_verdict> verdicts = Decide(filter.get(), RecordsOf(payloads));
  EXPECT_STREQ(neardup_reason_name(verdicts[1].reason), "parse");
  EXPECT_STREQ(neardup_reason_name(verdicts[2].reason), "not_object");
  EXPECT_STREQ(neardup_reason_name(verdicts[3].reason), "missing_field");
  EXPECT_STREQ(neardup_filter_dead_letter_text(filter.get(), 0), "");
  EXPECT_THAT(neardup_filter_dead_letter_text(filter.get(), 1), HasSubstr("not JSON"));
  EXPECT_THAT(neardup_filter_dead_letter_text(filter.get(), 3), HasSubstr("title"));
  EXPECT_STREQ(neardup_filter_dead_letter_text(filter.get(), 4), "");
  EXPECT_STREQ(neardup_filter_dead_letter_text(filter.get(), SIZE_MAX), "");
  Decide(filter.get(), RecordsOf({R"({"title": "c d"})", R"({"title": "e f"})"}));
  EXPECT_STREQ(neardup_filter_dead_letter_text(filter.get(), 1), "");
  EXPECT_STREQ(neardup_filter_dead_letter_text(nullptr, 1), "");
}

TEST(CHandle, ANullValueIsNotAnEmptyOne) {
  const OwnedFilter filter = NewFilter();
  const std::vector<neardup_record> records = {{sizeof(neardup_record), nullptr, 0, 0},
                                               {sizeof(neardup_record), "", 0, 0}};
  const std::vector<neardup_verdict> verdicts = Decide(filter.get(), records);
  EXPECT_STREQ(neardup_reason_name(verdicts[0].reason), "null_value");
  EXPECT_STREQ(neardup_reason_name(verdicts[1].reason), "parse");
}

TEST(CHandle, ItsSettingsMakeTheSameFilter) {
  const OwnedFilter filter = NewFilter();
  GivenText settings;
  ASSERT_EQ(neardup_filter_settings(filter.get(), settings.place(), nullptr), NEARDUP_OK);
  EXPECT_THAT(settings.str(), HasSubstr(R"("distance_max":6)"));
  const OwnedFilter twin = NewFilter(settings.str().c_str());
  GivenText again;
  ASSERT_EQ(neardup_filter_settings(twin.get(), again.place(), nullptr), NEARDUP_OK);
  EXPECT_EQ(again.str(), settings.str());
  const std::vector<std::string> payloads = SomePayloads(500, 3);
  EXPECT_EQ(Shown(Decide(filter.get(), RecordsOf(payloads))),
            Shown(Decide(twin.get(), RecordsOf(payloads))));
}

TEST(CHandle, TheClockSetsBackTimesThatAreTooFarAhead) {
  const std::string early = R"({"title": "rain is expected in the north and sun in the south"})";
  const std::string ahead = R"({"title": "a record from the far future of the clock, by mistake"})";
  const int64_t day_ms = 24 * 3600 * 1000;
  const auto late_after = [&](bool with_clock) {
    const OwnedFilter filter = NewFilter();
    if (with_clock) {
      EXPECT_EQ(neardup_filter_set_clock(filter.get(), 1000, nullptr), NEARDUP_OK);
    }
    Decide(filter.get(), {RecordOf(early, 0), RecordOf(ahead, 90 * day_ms)});
    EXPECT_EQ(neardup_filter_commit(filter.get(), nullptr), NEARDUP_OK);
    return Decide(filter.get(), {RecordOf(early, 1000)})[0].late == 1;
  };
  EXPECT_TRUE(late_after(false));
  EXPECT_FALSE(late_after(true));
}

TEST(CHandle, AcceptsEveryTimeAndNoRecords) {
  const OwnedFilter filter = NewFilter();
  EXPECT_EQ(neardup_filter_decide(filter.get(), nullptr, 0, nullptr, nullptr), NEARDUP_OK);
  EXPECT_EQ(neardup_filter_check(filter.get(), nullptr, 0, nullptr, nullptr), NEARDUP_OK);
  const std::vector<std::string> payloads = SomePayloads(40, 4);
  const std::vector<int64_t> times = {INT64_MIN, INT64_MIN + 1, -1, 0, INT64_MAX - 1, INT64_MAX};
  for (const int64_t now : times) {
    EXPECT_EQ(neardup_filter_set_clock(filter.get(), now, nullptr), NEARDUP_OK);
    for (const int64_t time_ms : times) {
      std::vector<neardup_record> records = RecordsOf(payloads);
      for (neardup_record& record : records) record.time_ms = time_ms;
      Decide(filter.get(), records);
      EXPECT_EQ(neardup_filter_commit(filter.get(), nullptr), NEARDUP_OK);
    }
  }
}

}  // namespace
}  // namespace neardup
