// What the log says of a lane and of its snapshots.
#include "service/run/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/metrics/hand_clock.h"
#include "service/run/log_lines.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

const Error kFull = {ErrorCode::kIo, "the disk is full"};

TEST(LogProbe, SaysWhenSnapshotsAreWrittenAgain) {
  HandClock clock;
  LogProbe probe(clock);
  const LogLines log;
  const WrittenSnapshot snapshot;
  probe.Saw(event::SnapshotWritten{snapshot});
  probe.Saw(event::KeeperFailed{kFull});
  clock.now_ms += 90'000;
  probe.Saw(event::KeeperFailed{kFull});
  clock.now_ms += 30'000;
  probe.Saw(event::SnapshotWritten{snapshot});
  probe.Saw(event::SnapshotWritten{snapshot});
  const auto failed = StartsWith("cannot keep the snapshot and the changelog up to date");
  EXPECT_THAT(log.lines(), ElementsAre(failed, failed,
                                       "the snapshot and the changelog are kept up to date again, "
                                       "120 s after the first of 2 failures"));
}

TEST(LogProbe, SaysOnceThatTheLaneIsActive) {
  HandClock clock;
  LogProbe probe(clock);
  const LogLines log;
  for (const LanePhase phase :
       {LanePhase::kLearning, LanePhase::kStandby, LanePhase::kRestoring, LanePhase::kActive}) {
    probe.Saw(event::PhaseChanged{phase});
  }
  probe.Saw(event::Promoted{7, 5, 0.5});
  EXPECT_THAT(log.lines(),
              ElementsAre("lane is standby",
                          "lane is active after 0.500 s: 5 entries restored, continuing after "
                          "seq 7"));
}

}  // namespace
}  // namespace neardup
