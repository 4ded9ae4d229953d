#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "detect/base/random.h"

namespace neardup {
namespace {

// The published values of SplitMix64 for seed 1234567.
TEST(SeededRandom, GivesThePublishedNumbers) {
  SeededRandom random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_EQ(random.Next(), 9817491932198370423u);
}

TEST(SeededRandom, ChooseGivesDifferentAscendingNumbersAllEquallyOften) {
  SeededRandom random(1);
  std::array<int, 10> count{};
  for (int i = 0; i < 10'000; ++i) {
    const std::vector<size_t> chosen = random.Choose(3, 10);
    ASSERT_EQ(chosen.size(), 3);
    ASSERT_LT(chosen[0], chosen[1]);
    ASSERT_LT(chosen[1], chosen[2]);
    for (const size_t number : chosen) ++count[number];
  }
  for (const int n : count) EXPECT_NEAR(n, 3000, 200);
  EXPECT_THAT(random.Choose(4, 4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(random.Choose(0, 4), testing::ElementsAre());
}

TEST(SeededRandom, ShuffleReachesEveryOrderAboutEquallyOften) {
  SeededRandom random(1);
  std::array<int, 6> count{};
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> order = {0, 1, 2};
    random.Shuffle(order);
    ASSERT_THAT(order, testing::UnorderedElementsAre(0, 1, 2));
    ++count[order[0] * 2 + (order[1] > order[2] ? 1 : 0)];
  }
  for (const int n : count) EXPECT_NEAR(n, 1000, 150);
}

}  // namespace
}  // namespace neardup
