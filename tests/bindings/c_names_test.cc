#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <set>
#include <string>

#include "neardup/neardup.h"
#include "neardup/verdict.h"

namespace {

TEST(CNames, EachValueHasANameOfItsOwnAndOthersAreUnknown) {
  const struct {
    const char* (*name)(int);
    int first;
    int end;
  } kinds[] = {{&neardup_status_name, 0, NEARDUP_INTERNAL + 1},
               {&neardup_decision_name, 0, NEARDUP_DEAD_LETTER + 1},
               {&neardup_kind_name, 0, NEARDUP_NEAR + 1},
               {&neardup_reason_name, 0, neardup::kReasonCount}};
  for (const auto& kind : kinds) {
    std::set<std::string> names;
    for (int value = kind.first; value < kind.end; ++value) names.insert(kind.name(value));
    EXPECT_EQ(names.size(), static_cast<size_t>(kind.end - kind.first));
    EXPECT_FALSE(names.contains("unknown"));
    for (const int value : {-1, kind.end, INT_MIN, INT_MAX}) {
      EXPECT_STREQ(kind.name(value), "unknown") << value;
    }
  }
  EXPECT_STREQ(neardup_kind_name(NEARDUP_NO_KIND), "unknown");
}

TEST(CNames, TheVersionHasThreeNumbers) {
  EXPECT_THAT(neardup_version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
