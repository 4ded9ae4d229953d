// Settings from a sample of records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bindings/c_caller.h"
#include "bindings/filter_settings.h"
#include "learn/learned_options.h"

namespace neardup {
namespace {

using testing::HasSubstr;

TEST(CLearn, AFilterWithModeAutoAsksForIt) {
  for (const char* settings :
       {"{}", R"({"match": {"mode": "auto"}})", R"({"record": {"fields": ["title"]}})"}) {
    neardup_filter* filter = nullptr;
    GivenText error;
    EXPECT_EQ(neardup_filter_new(settings, nullptr, &filter, error.place()), NEARDUP_CONFIG);
    EXPECT_EQ(filter, nullptr);
    EXPECT_THAT(error.str(), testing::AllOf(HasSubstr("match.mode"), HasSubstr("neardup_learn")));
  }
}

TEST(CLearn, ChoosesWhatTheLibraryChoosesAndAFilterTakesIt) {
  const std::vector<std::string> payloads = SomePayloads(1000, 5);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  std::vector<RecordView> views;
  for (size_t i = 0; i < payloads.size(); ++i) {
    views.push_back({{0, static_cast<int64_t>(i)}, records[i].time_ms, payloads[i]});
  }
  for (const char* given :
       {"{}", R"({"record": {"fields": ["title"]}, "window": {"window_ms": "1h"}})"}) {
    const auto parsed = ParseFilterSettings(given);
    ASSERT_TRUE(parsed.ok());
    const LearnedOptions expected = LearnOptions(views, parsed->options, parsed->given, 200);
    GivenText learned;
    GivenText reasons;
    ASSERT_EQ(neardup_learn(given, records.data(), records.size(), learned.place(), reasons.place(),
                            nullptr),
              NEARDUP_OK);
    EXPECT_EQ(learned.str(), FilterSettingsText(expected.options));
    EXPECT_THAT(reasons.str(), HasSubstr(expected.reasons[0] + "\n"));
    const OwnedFilter filter = NewFilter(learned.str().c_str());
    EXPECT_EQ(Decide(filter.get(), records).size(), records.size());
  }
}

TEST(CLearn, SaysThatAFewRecordsAreTooFew) {
  GivenText learned;
  GivenText reasons;
  ASSERT_EQ(neardup_learn("{}", nullptr, 0, learned.place(), reasons.place(), nullptr), NEARDUP_OK);
  EXPECT_THAT(reasons.str(), HasSubstr("too few to learn from"));
  NewFilter(learned.str().c_str());
}

TEST(CLearn, ChangesNothingWhereTheModeIsGiven) {
  GivenText learned;
  GivenText reasons;
  const std::vector<std::string> payloads = SomePayloads(300, 6);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  ASSERT_EQ(neardup_learn(kTitles, records.data(), records.size(), learned.place(), reasons.place(),
                          nullptr),
            NEARDUP_OK);
  EXPECT_THAT(reasons.str(), HasSubstr("nothing was learned"));
  GivenText settings;
  ASSERT_EQ(neardup_filter_settings(NewFilter().get(), settings.place(), nullptr), NEARDUP_OK);
  EXPECT_EQ(learned.str(), settings.str());
}

}  // namespace
}  // namespace neardup
