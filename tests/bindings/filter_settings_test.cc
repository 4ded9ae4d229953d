#include "bindings/filter_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "neardup/filter.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::string ErrorOf(const std::string& json) {
  const Result<FilterSettings> parsed = ParseFilterSettings(json);
  return parsed.ok() ? "no error" : parsed.error().text;
}

TEST(FilterSettings, OfAnEmptyObjectAreTheDefaultsAndAreLearned) {
  const Result<FilterSettings> parsed = ParseFilterSettings("{}");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->options, FilterOptions());
  EXPECT_TRUE(parsed->learn);
  EXPECT_TRUE(parsed->given.empty());
}

TEST(FilterSettings, TakeSectionsAndDottedPaths) {
  const Result<FilterSettings> parsed = ParseFilterSettings(R"({
    "record": {"fields": ["title", {"path": "/a/b", "weight": 2}, {"path": "user", "key": true}],
               "null_value": "unique", "record_bytes_max": "1MiB"},
    "feature": {"masks": ["time", "ip"]},
    "match.distance_max": 6,
    "window": {"window_ms": "36h", "entries_max": 5000}})");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  const FilterOptions& options = parsed->options;
  EXPECT_EQ(options.record.fields,
            (std::vector<FieldSelector>{{"title"}, {"/a/b", 2.0}, {"user", 1.0, true}}));
  EXPECT_EQ(options.record.null_value, NullValue::kUnique);
  EXPECT_EQ(options.record.record_bytes_max, size_t{1} << 20);
  EXPECT_TRUE(options.feature.masks.time && options.feature.masks.ip);
  EXPECT_FALSE(options.feature.masks.uuid);
  EXPECT_EQ(options.match.distance_max, 6);
  EXPECT_EQ(options.window.window_ms, int64_t{36} * 3600 * 1000);
  EXPECT_EQ(options.window.entries_max, 5000U);
  EXPECT_THAT(parsed->given, UnorderedElementsAre("record.fields", "feature.masks",
                                                  "match.distance_max", "window.entries_max"));
}

TEST(FilterSettings, PassOverTheSectionsOfTheService) {
  const Result<FilterSettings> parsed = ParseFilterSettings(
      R"({"app": "a", "kafka": {"brokers": "b:9092"}, "input": {"topics": ["t"]},
          "auto": {"records_max": 500}, "lanes": {"count": 2}, "record": {"format": "text"},
          "match": {"mode": "near"}})");
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  EXPECT_FALSE(parsed->learn);
}

TEST(FilterSettings, OfModeExactCompareNothingByDistanceUnlessADistanceIsGiven) {
  EXPECT_EQ(ParseFilterSettings(R"({"match": {"mode": "exact"}})")->options.match.distance_max, 0);
  EXPECT_EQ(ParseFilterSettings(R"({"match": {"mode": "exact", "distance_max": 2}})")
                ->options.match.distance_max,
            2);
}

TEST(FilterSettings, NameTheSettingAndWhatWasExpected) {
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(ErrorOf("{"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(ErrorOf(std::string(100'000, '[')), HasSubstr("expected a JSON object"));
  EXPECT_THAT(ErrorOf(R"({"match": {"distance_mx": 3}})"),
              HasSubstr("match.distance_mx: there is no such setting; did you mean "
                        "match.distance_max?"));
  EXPECT_THAT(ErrorOf(R"({"fields": ["title"]})"), HasSubstr("fields: there is no such setting"));
  EXPECT_THAT(ErrorOf(R"({"match": {"distance_max": 13}})"), HasSubstr("match.distance_max"));
  EXPECT_THAT(ErrorOf(R"({"match": {"distance_max": 1.5}})"),
              HasSubstr("match.distance_max: found 1.5, expected a whole number from 0 to "));
  EXPECT_THAT(ErrorOf(R"({"match": {"distance_max": 99999999999}})"), HasSubstr("distance_max"));
  EXPECT_THAT(ErrorOf(R"({"window": {"window_ms": "soon"}})"),
              HasSubstr("window.window_ms: found the text \"soon\", expected milliseconds"));
  EXPECT_THAT(ErrorOf(R"({"record": {"fields": "title"}})"),
              HasSubstr("expected a list, such as [a, b]"));
  EXPECT_THAT(ErrorOf(R"({"record": {"fields": [{"name": "title"}]}})"), HasSubstr("path"));
  EXPECT_THAT(ErrorOf(R"({"feature": {"masks": ["times"]}})"),
              HasSubstr("feature.masks[0]: found the text \"times\", expected one of"));
  EXPECT_THAT(ErrorOf(R"({"match": {"mode": "fuzzy"}})"), HasSubstr("one of auto, near, exact"));
}

TEST(FilterSettings, AreReadBackAsTheyWere) {
  FilterOptions options;
  options.record.fields = {{"title", 2.5}, {"user", 1.0, true}, {"/a/b"}};
  options.record.exclude = {"id"};
  options.record.missing_fields = MissingFields::kAny;
  options.record.time_field = "at";
  options.record.time_format = TimeFormat::kSeconds;
  options.feature.features_min = 4;
  options.feature.markup = false;
  options.feature.masks.number = true;
  options.model.hash_seed = 7;
  options.model.centre[3] = -17;
  options.model.common = {1, 0xFFFFFFFFFFFFFFFF};
  options.match.distance_max = 3;
  options.match.widen = true;
  options.match.numbers = false;
  options.match.neighbours = true;
  options.window.entries_max = 123'456;
  const std::string text = FilterSettingsText(options);
  const Result<FilterSettings> parsed = ParseFilterSettings(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().text;
  EXPECT_EQ(parsed->options, options);
  EXPECT_FALSE(parsed->learn);
}

}  // namespace
}  // namespace neardup
