// When a lane that found too few records to learn from tries again.
#include <gtest/gtest.h>

#include "service/topics/lane_learning.h"

namespace neardup {
namespace {

TEST(LaterLearning, IsDueWhenEnoughRecordsAreDecided) {
  const LaterLearning later(200);
  EXPECT_FALSE(later.IsDue(0));
  EXPECT_FALSE(later.IsDue(199));
  EXPECT_TRUE(later.IsDue(200));
  EXPECT_TRUE(later.IsDue(201));
}

TEST(LaterLearning, WaitsTwiceAsLongAfterEachAttemptThatFailed) {
  LaterLearning later(200);
  later.Failed(250);
  EXPECT_FALSE(later.IsDue(499));
  EXPECT_TRUE(later.IsDue(500));
  later.Failed(500);
  EXPECT_FALSE(later.IsDue(999));
}

TEST(LaterLearning, IsNeverDueForALaneWithManyRecords) {
  const LaterLearning later(200);
  EXPECT_TRUE(later.IsDue(LaterLearning::kSeqMax));
  EXPECT_FALSE(later.IsDue(LaterLearning::kSeqMax + 1));
}

TEST(LaterLearning, IsNeverDueForALaneThatHasLearned) { EXPECT_FALSE(LaterLearning().IsDue(1000)); }

}  // namespace
}  // namespace neardup
