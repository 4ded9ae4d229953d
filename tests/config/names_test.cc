#include <gtest/gtest.h>

#include "config/assignment.h"

namespace neardup {
namespace {

TEST(NearestNames, TheDistanceCountsSingleEdits) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("window", "widnow"), 1u);
  EXPECT_EQ(EditDistance("window", "windows"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(NearestNames, OnlyNearNamesAreSuggested) {
  EXPECT_EQ(NearestName("earlyest", {"earliest", "latest"}), "earliest");
  EXPECT_EQ(NearestName("nothing", {"earliest", "latest"}), std::nullopt);
  EXPECT_EQ(NearestName("xx", {"on"}), std::nullopt);
  EXPECT_EQ(NearestName(std::string(100'000, 'a'), {"earliest"}), std::nullopt);
}

TEST(NearestNames, ASettingInTheWrongSectionIsFound) {
  EXPECT_EQ(UnknownSettingText("kafka.topics"), "unknown setting, did you mean input.topics?");
  EXPECT_EQ(UnknownSettingText("distance_max"),
            "unknown setting, did you mean match.distance_max?");
  EXPECT_EQ(UnknownSettingText("widnow"), "unknown setting, did you mean window?");
  EXPECT_EQ(UnknownSettingText("log.levle"), "unknown setting, did you mean log.level?");
  EXPECT_EQ(UnknownSettingText("entirely.else"),
            "unknown setting; `neardup config example` prints all of them");
}

}  // namespace
}  // namespace neardup
