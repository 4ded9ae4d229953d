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
  EXPECT_EQ(health.Alive().text,
            "the lane has made no step for 30 s, expected one at least every 30 s; its phase is "
            "starting");
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

TEST(Health, AStandbyIsReadyOnceItHasCaughtUpAndStaysSo) {
  HandClock clock;
  Health health(clock, 30'000);
  health.PhaseChanged(LanePhase::kStandby);
  EXPECT_FALSE(health.Ready().ok);
  EXPECT_EQ(health.Ready().text, "standby, still reading the changelog");
  health.CaughtUp(7, 5);
  EXPECT_TRUE(health.Ready().ok);
  EXPECT_EQ(health.Ready().text, "standby");
  health.PhaseChanged(LanePhase::kRestoring);
  EXPECT_FALSE(health.Ready().ok);
  health.PhaseChanged(LanePhase::kStandby);
  EXPECT_TRUE(health.Ready().ok);
}

TEST(Health, AStandbyThatHasBeenActiveIsReady) {
  HandClock clock;
  Health health(clock, 30'000);
  health.PhaseChanged(LanePhase::kActive);
  health.PhaseChanged(LanePhase::kStandby);
  EXPECT_TRUE(health.Ready().ok);
}

TEST(Health, IsReadyExactlyWhileActiveOrACaughtUpStandby) {
  HandClock clock;
  Health health(clock, 30'000);
  health.CaughtUp(0, 0);
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
