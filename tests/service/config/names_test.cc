#include <gtest/gtest.h>

#include "service/config/assignment.h"

namespace neardup {
namespace {

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
