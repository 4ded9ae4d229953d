// With which settings a changelog is created, and what is said of the settings of an existing one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/topics.h"

namespace neardup {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(ChangelogSettings, WithThreeReplicasARecordMustBeOnTwoBrokers) {
  EXPECT_THAT(ChangelogSettings(3), Contains(Pair("min.insync.replicas", "2")));
  EXPECT_THAT(ChangelogSettings(5), Contains(Pair("min.insync.replicas", "2")));
  for (const int32_t replicas : {-1, 1, 2}) {
    EXPECT_EQ(ChangelogSettings(replicas).count("min.insync.replicas"), 0U) << replicas;
  }
}

TEST(ChangelogSettings, ThreeReplicasOfWhichOneSufficesAreAWarning) {
  Properties settings = ChangelogSettings(3);
  const auto warnings = [&](int32_t replicas) {
    const auto checked = CheckChangelogSettings("app-changelog", settings, replicas);
    EXPECT_TRUE(checked.ok());
    return *checked;
  };
  EXPECT_THAT(warnings(3), IsEmpty());
  settings["min.insync.replicas"] = "1";
  EXPECT_THAT(warnings(3), ElementsAre(HasSubstr("has 3 replicas and min.insync.replicas=1")));
  EXPECT_THAT(warnings(2), IsEmpty());
  EXPECT_THAT(warnings(1), IsEmpty());
}

TEST(ChangelogSettings, ASettingThatDeletesRecordsIsRefused) {
  Properties settings = ChangelogSettings(3);
  settings["retention.ms"] = "1000";
  const auto checked = CheckChangelogSettings("app-changelog", settings, 3);
  ASSERT_FALSE(checked.ok());
  EXPECT_TRUE(checked.error().fatal);
  EXPECT_THAT(checked.error().text, HasSubstr("app-changelog has retention.ms=1000"));
}

}  // namespace
}  // namespace neardup
