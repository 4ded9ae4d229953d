#include <gtest/gtest.h>

#include "detect/base/message_text.h"

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

}  // namespace
}  // namespace neardup
