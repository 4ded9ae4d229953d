#include "evaluate/scheme_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/small_set.h"
#include "schemes/schemes.h"

namespace neardup {
namespace {

/// Two of three true duplicates found, none wrong: precision 1, recall 2/3, F1 0.8.
const Tally kTwoOfThree = {5, 3, 2, 2, 2};

TEST(RunFilter, FindsTheEqualCopiesAndCountsTheRest) {
  const auto run = RunFilter(SmallSet(), SmallSetOptions());
  ASSERT_TRUE(run.ok()) << run.error().text;
  EXPECT_EQ(run->accuracy.all, kTwoOfThree);
  EXPECT_DOUBLE_EQ(*run->accuracy.all.f1(), 0.8);
  EXPECT_EQ(run->accuracy.kinds.at("rewritten").recall(), 0.0);
  EXPECT_EQ(run->records, 6);
  EXPECT_EQ(run->dead_letters, 1);
  EXPECT_EQ(run->entries, 3);
  EXPECT_GT(run->seconds, 0);
}

TEST(RunFilter, OptionsOutOfRangeAreRefused) {
  FilterOptions options = SmallSetOptions();
  options.match.distance_max = -1;
  EXPECT_FALSE(RunFilter(SmallSet(), options).ok());
  EXPECT_FALSE(RunDistances(SmallSet(), options).ok());
}

TEST(RunDistances, GoesFromZeroUpAndAgreesWithTheFilter) {
  FilterOptions options = SmallSetOptions();
  const auto curve = RunDistances(SmallSet(), options);
  ASSERT_TRUE(curve.ok()) << curve.error().text;
  ASSERT_GT(curve->size(), 7);
  for (size_t i = 0; i < curve->size(); ++i) {
    EXPECT_EQ((*curve)[i].distance_max, static_cast<int>(i));
    options.match.distance_max = static_cast<int>(i);
    EXPECT_EQ((*curve)[i].tally, RunFilter(SmallSet(), options)->accuracy.all) << i;
  }
}

TEST(RunSketches, EverySchemeFindsTheEqualCopiesAndStoresOnlyTheUnique) {
  for (const std::string_view name : SchemeNames()) {
    const std::string text(name);
    const auto run = RunSketches(SmallSet(), SmallSetOptions(), {text, text, {}});
    ASSERT_TRUE(run.ok()) << run.error().text;
    EXPECT_EQ(run->dead_letters, 1) << name;
    EXPECT_EQ(run->accuracy.missing, 0) << name;
    // I-Match needs tokens that stand in several records of the sample: here are hardly any.
    if (name == "i-match") continue;
    EXPECT_EQ(run->accuracy.all, kTwoOfThree) << name;
    EXPECT_EQ(run->entries, 3) << name;
    EXPECT_GT(run->bytes, 0) << name;
  }
}

TEST(RunSketches, ParametersReachTheScheme) {
  const auto wrong = RunSketches(SmallSet(), SmallSetOptions(), {"", "minhash", {{"noise", 1.0}}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().text, testing::HasSubstr("noise"));
}

}  // namespace
}  // namespace neardup
