#include "service/metrics/health.h"

#include <gtest/gtest.h>

#include "service/metrics/hand_clock.h"

namespace neardup {
namespace {

const InputPartition kNews0{"news", 0};
const InputPartition kNews1{"news", 1};

constexpr HealthLimits kLimits{
    .step_ms_max = 30'000, .commit_ms_max = 10'000, .poll_ms_max = 20'000, .failure_ms = 60'000};

class HealthTest : public testing::Test {
 protected:
  void ExpectReady(const std::string& text) {
    EXPECT_TRUE(health_.Ready().ok);
    EXPECT_EQ(health_.Ready().text, text);
  }
  void ExpectNotReady(const std::string& text) {
    EXPECT_FALSE(health_.Ready().ok);
    EXPECT_EQ(health_.Ready().text, text);
  }

  HandClock clock_;
  Health health_{clock_, kLimits};
};

TEST_F(HealthTest, IsAliveUntilTheLaneHasBeenSilentForTooLong) {
  EXPECT_TRUE(health_.Alive().ok);
  clock_.SleepMs(30'000);
  EXPECT_TRUE(health_.Alive().ok);
  clock_.SleepMs(1);
  EXPECT_FALSE(health_.Alive().ok);
  EXPECT_EQ(health_.Alive().text,
            "the lane has made no step for 30 s, expected one at least every 30 s; its phase is "
            "starting");
  health_.Stepped();
  EXPECT_TRUE(health_.Alive().ok);
}

TEST_F(HealthTest, ALongRestoreIsAliveButNotReady) {
  health_.Saw(event::PhaseChanged{LanePhase::kRestoring});
  clock_.SleepMs(3'600'000);
  EXPECT_TRUE(health_.Alive().ok);
  ExpectNotReady("restoring");
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  EXPECT_TRUE(health_.Alive().ok) << "the end of the restore counts as a step";
}

TEST_F(HealthTest, AStandbyIsReadyOnceItHasCaughtUpAndStaysSo) {
  health_.Saw(event::PhaseChanged{LanePhase::kStandby});
  ExpectNotReady("standby, still reading the changelog");
  health_.Saw(event::CaughtUp{7, 5});
  ExpectReady("standby");
  health_.Saw(event::PhaseChanged{LanePhase::kRestoring});
  EXPECT_FALSE(health_.Ready().ok);
  health_.Saw(event::PhaseChanged{LanePhase::kStandby});
  ExpectReady("standby");
}

TEST_F(HealthTest, AStandbyThatLacksLiveEntriesIsNotReady) {
  health_.Saw(event::PhaseChanged{LanePhase::kStandby});
  health_.Saw(event::CaughtUp{7, 5});
  health_.Saw(event::Gauges{{.entries_missing = 3}});
  ExpectNotReady(
      "standby; it lacks 3 live entries, because records of the changelog are lost: see "
      "docs/recovery.md#the-changelog-lost-records");
  health_.Saw(event::Gauges{{.entries_missing = 0}});
  ExpectReady("standby");
}

TEST_F(HealthTest, AStandbyThatGaveWayToAnotherInstanceIsReady) {
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  health_.Saw(event::LaneLost{{ErrorCode::kFenced, "fenced"}});
  health_.Saw(event::PhaseChanged{LanePhase::kStandby});
  ExpectReady("standby");
}

TEST_F(HealthTest, AStandbyThatCannotTakeTheLaneIsNotReady) {
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  health_.Saw(event::LaneLost{{ErrorCode::kUnavailable, "no leader"}});
  health_.Saw(event::PhaseChanged{LanePhase::kStandby});
  clock_.SleepMs(59'000);
  ExpectNotReady("standby; it lost the lane or could not take it 59 s ago: no leader");
  health_.Saw(event::LaneLost{{ErrorCode::kUnavailable, "no leader"}});
  clock_.SleepMs(59'000);
  EXPECT_FALSE(health_.Ready().ok) << "every failed attempt counts";
  clock_.SleepMs(1'000);
  ExpectReady("standby");
}

TEST_F(HealthTest, AStandbyIsReadyAgainOnceItFollowsAnotherInstance) {
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  health_.Saw(event::LaneLost{{ErrorCode::kUnavailable, "no leader"}});
  health_.Saw(event::PhaseChanged{LanePhase::kStandby});
  EXPECT_FALSE(health_.Ready().ok);
  health_.Saw(event::Followed{8});
  ExpectReady("standby");
}

TEST_F(HealthTest, NoInstanceIsReadyWhileNoBrokerAnswers) {
  bool answers = true;
  health_.AskForBrokers([&] { return answers; });
  for (const LanePhase phase : {LanePhase::kActive, LanePhase::kStandby, LanePhase::kLearning}) {
    health_.Saw(event::PhaseChanged{phase});
    answers = true;
    ExpectReady(Name(phase));
    answers = false;
    ExpectNotReady(std::string(Name(phase)) + ", but no broker answers");
    EXPECT_TRUE(health_.Alive().ok) << "a restart does not help";
  }
  health_.Saw(event::PhaseChanged{LanePhase::kRestoring});
  ExpectNotReady("restoring");
  health_.AskForBrokers({});
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  ExpectReady("active");
}

TEST_F(HealthTest, AnActiveLaneThatDoesNotCommitIsNotReady) {
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  health_.Saw(event::BatchPolled{kNews0, 5, 500});
  clock_.SleepMs(6'000);
  health_.Saw(event::BatchPolled{kNews0, 5, 500});
  clock_.SleepMs(4'000);
  ExpectReady("active");
  clock_.SleepMs(1'000);
  ExpectNotReady("active, but records have waited 11 s for their commit, expected at most 10 s");
  health_.Saw(event::TransactionSized{70'000, true});
  ExpectNotReady(
      "active, but records have waited 11 s for their commit, expected at most 10 s; transactions "
      "take too long to send and hold at most 70000 bytes now: a quota of the brokers or a slow "
      "connection limits this instance");
  health_.Saw(event::TransactionSized{100'000, false});
  ExpectNotReady("active, but records have waited 11 s for their commit, expected at most 10 s");
  health_.Saw(event::TransactionCommitted{{}});
  ExpectReady("active");
}

TEST_F(HealthTest, AnActiveLaneWithALagThatPollsNothingIsNotReady) {
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  clock_.SleepMs(100'000);
  health_.Saw(event::InputLag{kNews0, 0, 0});
  health_.Saw(event::InputLag{kNews1, 3, 0});
  clock_.SleepMs(20'000);
  ExpectReady("active");
  clock_.SleepMs(1'000);
  health_.Saw(event::InputLag{kNews1, 4, 0});
  ExpectNotReady(
      "active, but 4 records of news/1 wait and no record came for 21 s; the partition has no "
      "leader, or a producer holds a transaction open");
  health_.Saw(event::BatchPolled{kNews1, 1, 100});
  health_.Saw(event::TransactionCommitted{{}});
  ExpectReady("active");
}

TEST_F(HealthTest, AnIdleActiveLaneWithoutALagIsReadyForEver) {
  health_.Saw(event::PhaseChanged{LanePhase::kActive});
  health_.Saw(event::InputLag{kNews0, 0, 0});
  clock_.SleepMs(3'600'000);
  ExpectReady("active");
}

TEST_F(HealthTest, IsReadyExactlyWhileActiveOrACaughtUpStandby) {
  health_.Saw(event::CaughtUp{0, 0});
  for (int i = 0; i < kLanePhaseCount; ++i) {
    const auto phase = static_cast<LanePhase>(i);
    health_.Saw(event::PhaseChanged{phase});
    EXPECT_EQ(health_.Ready().ok, phase == LanePhase::kActive || phase == LanePhase::kStandby ||
                                      phase == LanePhase::kLearning);
    EXPECT_EQ(health_.Ready().text, Name(phase));
    EXPECT_EQ(health_.Alive().ok, phase != LanePhase::kFailed) << Name(phase);
  }
}

}  // namespace
}  // namespace neardup
