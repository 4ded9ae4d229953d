#include <gtest/gtest.h>

#include "stream/files/duplicate_groups.h"

namespace neardup {
namespace {

Verdict Duplicate(MatchKind kind) {
  Verdict verdict;
  verdict.decision = Decision::kDuplicate;
  verdict.match.kind = kind;
  return verdict;
}

TEST(ExactRepeats, CountsANearDuplicateThatIsEqualToAnEarlierOne) {
  ExactRepeats repeats;
  repeats.Saw(Duplicate(MatchKind::kNear), 1);
  repeats.Saw(Duplicate(MatchKind::kNear), 2);
  EXPECT_EQ(repeats.count(), 0U);
  repeats.Saw(Duplicate(MatchKind::kNear), 1);
  repeats.Saw(Duplicate(MatchKind::kNear), 1);
  EXPECT_EQ(repeats.count(), 2U);
}

TEST(ExactRepeats, LeavesToTheKindWhatEqualsTheOriginal) {
  ExactRepeats repeats;
  repeats.Saw(Verdict(), 1);
  repeats.Saw(Duplicate(MatchKind::kExact), 1);
  repeats.Saw(Duplicate(MatchKind::kExact), 1);
  repeats.Saw(Duplicate(MatchKind::kNear), 1);
  EXPECT_EQ(repeats.count(), 0U);
}

TEST(ExactRepeats, RemembersTheNewest) {
  ExactRepeats repeats(2);
  for (const uint64_t exact : {1, 2, 3}) repeats.Saw(Duplicate(MatchKind::kNear), exact);
  repeats.Saw(Duplicate(MatchKind::kNear), 2);
  repeats.Saw(Duplicate(MatchKind::kNear), 3);
  EXPECT_EQ(repeats.count(), 2U);
  repeats.Saw(Duplicate(MatchKind::kNear), 1);
  EXPECT_EQ(repeats.count(), 2U);
}

}  // namespace
}  // namespace neardup
