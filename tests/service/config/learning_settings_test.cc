// match.mode and what follows from it.
#include <gmock/gmock.h>

#include "service/config/config_text.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LearningSettingsTest : public ConfigText {
 protected:
  static LearningSettings Of(const Result<LoadedConfig>& config) {
    EXPECT_TRUE(config.ok()) << config.error().text;
    return config.ok() ? config->settings.learning : LearningSettings();
  }
};

TEST_F(LearningSettingsTest, ALaneLearnsWhetherOrNotFieldsAreNamed) {
  EXPECT_TRUE(Of(Load("app: a")).on);
  EXPECT_TRUE(Of(Load("match: {mode: auto}")).on);
  EXPECT_TRUE(Of(Load("record: {fields: [text]}")).on);
  EXPECT_FALSE(Of(Load("record: {fields: [text]}\nmatch: {mode: near}")).on);
  EXPECT_TRUE(Of(Load("record: {fields: [text]}\nmatch: {mode: auto}")).on);
  EXPECT_FALSE(Of(Load("match: {mode: near}")).on);
  EXPECT_FALSE(Of(Load("match: {mode: exact}")).on);
}

TEST_F(LearningSettingsTest, WhatAPersonSetsIsKept) {
  EXPECT_THAT(Of(Load("app: a")).kept, IsEmpty());
  EXPECT_THAT(Of(Load("match: {distance_max: 8}\nwindow: {entries_max: 5000}", {},
                      {"record.exclude=[id]", "input.topics=[t]"}))
                  .kept,
              ElementsAre("match.distance_max", "record.exclude", "window.entries_max"))
      << "also a value that equals the default";
}

TEST_F(LearningSettingsTest, ExactModeJoinsOnlyEqualRecords) {
  const Result<LoadedConfig> exact = Load("match: {mode: exact}");
  ASSERT_TRUE(exact.ok());
  EXPECT_EQ(exact->settings.lane.filter.match.distance_max, 0);
  const Result<LoadedConfig> both = Load("match: {mode: exact, distance_max: 3}");
  ASSERT_FALSE(both.ok());
  EXPECT_THAT(both.error().text, HasSubstr("match.distance_max: found 3, expected 0"));
}

TEST_F(LearningSettingsTest, TheLeastSampleIsNotLargerThanTheLargest) {
  const Result<LoadedConfig> config = Load("auto: {records_min: 500, records_max: 400}");
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().text, HasSubstr("auto.records_min: found 500, expected at most"));
}

}  // namespace
}  // namespace neardup
