// Where records go: each mode and each release against the documented rule.
#include "stream/state/route.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

Verdict Of(Decision decision, MatchKind kind = MatchKind::kNear) {
  Verdict verdict;
  verdict.decision = decision;
  verdict.match.kind = kind;
  return verdict;
}

const InputPartition kInput{"news", 3};
constexpr Decision kDecisions[] = {Decision::kUnique, Decision::kDuplicate, Decision::kDeadLetter};

TEST(Route, IsThatOfTheVerdictByDefault) {
  for (const Decision decision : kDecisions) {
    for (const bool by_reference : {false, true}) {
      EXPECT_EQ(RouteOf({}, Of(decision), kInput, 7, by_reference), RouteOf(decision));
    }
  }
}

TEST(Route, OfALaneThatObservesIsTheUniqueTopicButForDeadLettersByReference) {
  const RoutingOptions observes{.mode = RoutingMode::kObserve};
  for (const Decision decision : kDecisions) {
    EXPECT_EQ(RouteOf(observes, Of(decision), kInput, 7, false), Route::kUnique);
  }
  EXPECT_EQ(RouteOf(observes, Of(Decision::kDeadLetter), kInput, 7, true), Route::kDeadLetter);
}

TEST(Route, OneOfSoManyDuplicatesOfAKindIsReleasedAndEachPositionIsDecidedTheSame) {
  constexpr int64_t kRecords = 40'000;
  for (const uint32_t one_of : {1U, 2U, 10U, 100U}) {
    const RoutingOptions options{.release_exact_one_of = one_of};
    int64_t released = 0;
    for (int64_t offset = 0; offset < kRecords; ++offset) {
      const Verdict exact = Of(Decision::kDuplicate, MatchKind::kExact);
      const Route route = RouteOf(options, exact, kInput, offset, false);
      EXPECT_EQ(route, RouteOf(options, exact, kInput, offset, false));
      EXPECT_EQ(RouteOf(options, Of(Decision::kDuplicate), kInput, offset, false),
                Route::kDuplicate)
          << "the other kind";
      EXPECT_EQ(RouteOf(options, Of(Decision::kDeadLetter), kInput, offset, false),
                Route::kDeadLetter);
      released += route == Route::kUnique ? 1 : 0;
    }
    const double expected = static_cast<double>(kRecords) / one_of;
    EXPECT_NEAR(static_cast<double>(released), expected, one_of == 1 ? 0 : 0.15 * expected);
  }
}

TEST(Route, ADroppedKindGoesNowhereUnlessItIsObservedOrReleased) {
  const Verdict exact = Of(Decision::kDuplicate, MatchKind::kExact);
  const Verdict near = Of(Decision::kDuplicate);
  RoutingOptions drops{.exact = DuplicateRoute::kDrop};
  EXPECT_EQ(RouteOf(drops, exact, kInput, 7, false), Route::kNowhere);
  EXPECT_EQ(RouteOf(drops, near, kInput, 7, false), Route::kDuplicate);
  EXPECT_EQ(RouteOf(drops, Of(Decision::kUnique), kInput, 7, false), Route::kUnique);
  EXPECT_EQ(RouteOf(drops, Of(Decision::kDeadLetter), kInput, 7, true), Route::kDeadLetter);
  drops.release_exact_one_of = 1;
  EXPECT_EQ(RouteOf(drops, exact, kInput, 7, false), Route::kUnique);
  drops = {.mode = RoutingMode::kObserve, .exact = DuplicateRoute::kDrop};
  EXPECT_EQ(RouteOf(drops, exact, kInput, 7, false), Route::kUnique);
}

TEST(Route, OfARecordThatReplacesAnOlderOneIsTheUniqueTopic) {
  const Verdict exact = Of(Decision::kDuplicate, MatchKind::kExact);
  for (const RoutingMode mode : {RoutingMode::kRoute, RoutingMode::kObserve}) {
    for (const DuplicateRoute route : {DuplicateRoute::kRoute, DuplicateRoute::kDrop}) {
      const RoutingOptions options{.mode = mode, .exact = route, .keep = Keep::kNewest};
      EXPECT_EQ(RouteOf(options, exact, kInput, 7, false, /*replaces=*/true), Route::kUnique);
    }
  }
  EXPECT_EQ(RouteOf({.keep = Keep::kNewest}, exact, kInput, 7, false, false), Route::kDuplicate);
}

TEST(Route, ReleasesOtherOffsetsInEachPartition) {
  const RoutingOptions options{.release_near_one_of = 2};
  int same = 0;
  for (int64_t offset = 0; offset < 1000; ++offset) {
    const Verdict near = Of(Decision::kDuplicate);
    same += RouteOf(options, near, {"a", 0}, offset, false) ==
                    RouteOf(options, near, {"a", 1}, offset, false)
                ? 1
                : 0;
  }
  EXPECT_NEAR(same, 500, 100);
}

}  // namespace
}  // namespace neardup
