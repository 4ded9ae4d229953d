#include <gtest/gtest.h>

#include "state/lane_state.h"

namespace neardup {
namespace {

TEST(SpecDifference, NamesEachKeyThatDiffersAndNoOther) {
  EXPECT_EQ(SpecDifference(R"({"same":1,"fields":[{"path":"a"},{"path":"b"}],"min":12})",
                           R"({"min":8,"same":1,"fields":[{"path":"a"}],"markup":true})"),
            "/fields/1/path: \"b\" here, absent in the changelog; "
            "/markup: absent here, true in the changelog; "
            "/min: 12 here, 8 in the changelog");
}

TEST(SpecDifference, ShowsTextsThatAreNotJsonWhole) {
  EXPECT_EQ(SpecDifference("{}", "{broken"), "spec: {} here, {broken in the changelog");
}

TEST(SpecDifference, ShowsTextsOfEqualMeaningWhole) {
  EXPECT_EQ(SpecDifference("{}", "{ }"), "spec: {} here, { } in the changelog");
}

TEST(SpecDifference, ComparesValuesThatAreNotObjects) {
  EXPECT_EQ(SpecDifference("1", "2"), "spec: 1 here, 2 in the changelog");
}

}  // namespace
}  // namespace neardup
