#include "metrics/health.h"

#include <gtest/gtest.h>

#include "metrics/hand_clock.h"

namespace neardup {
namespace {

TEST(Health, IsAliveUntilTheLaneHasBeenSilentForTooLong) {
  HandClock clock;
  Health health(clock, 30'000);
  EXPECT_TRUE(health.Alive().ok);
  clock.SleepMs(30'000);
  EXPECT_TRUE(health.Alive().ok);
  clock.SleepMs(1);
  EXPECT_FALSE(health.Alive().ok);
  EXPECT_EQ(health.Alive().text, "the lane made no step for 30 s; it is starting");
  health.Stepped();
  EXPECT_TRUE(health.Alive().ok);
}

TEST(Health, ALongRestoreIsAliveButNotReady) {
  HandClock clock;
  Health health(clock, 30'000);
  health.PhaseChanged(LanePhase::kRestoring);
  clock.SleepMs(3'600'000);
  EXPECT_TRUE(health.Alive().ok);
  EXPECT_FALSE(health.Ready().ok);
  EXPECT_EQ(health.Ready().text, "restoring");
  health.PhaseChanged(LanePhase::kActive);
  EXPECT_TRUE(health.Alive().ok) << "the end of the restore counts as a step";
}

TEST(Health, IsReadyExactlyWhileActiveOrStandby) {
  HandClock clock;
  Health health(clock, 30'000);
  for (int i = 0; i < kLanePhaseCount; ++i) {
    const auto phase = static_cast<LanePhase>(i);
    health.PhaseChanged(phase);
    EXPECT_EQ(health.Ready().ok, phase == LanePhase::kActive || phase == LanePhase::kStandby);
    EXPECT_EQ(health.Ready().text, Name(phase));
    EXPECT_EQ(health.Alive().ok, phase != LanePhase::kFailed) << Name(phase);
  }
}

}  // namespace
}  // namespace neardup
