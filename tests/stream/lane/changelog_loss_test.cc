// A lane whose changelog lost records that it had committed: all of them, the oldest, or the
// newest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/hash.h"
#include "stream/lane/lane.h"
#include "stream/lane/lane_world.h"
#include "stream/lane/memory_ports.h"
#include "stream/state/delta.h"
#include "stream/state/snapshot_restore.h"

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A lane that holds the lease, and what it reports.
struct Process final : SeesLane<Process> {
  Process(MemoryBroker& broker, Faults& faults, const LaneOptions& options,
          std::optional<RestoredSnapshot> snapshot = {})
      : source(broker, faults), changelog(broker, faults), transaction(broker, faults) {
    lease.held = true;
    auto made = Lane::New(options, {source, changelog, transaction, lease, clock, *this},
                          std::move(snapshot));
    EXPECT_TRUE(made.ok());
    lane = std::move(made).value();
  }
  void Saw(const event::StateDiscarded& seen) { discarded.emplace_back(seen.why); }
  void Saw(const event::OffsetsDiffer&) { ++differ; }
  void Saw(const event::Gauges& seen) { missing = seen.gauges.entries_missing; }
  void Saw(const event::ChangelogLost& seen) {
    EXPECT_EQ(seen.name, "memory-changelog/0");
    lost.emplace_back(seen.what);
  }
  void Saw(const auto& /*ignored*/) {}

  MemorySource source;
  MemoryChangelog changelog;
  MemoryTransaction transaction;
  MemoryLease lease;
  MemoryClock clock;
  std::unique_ptr<Lane> lane;
  std::vector<std::string> discarded;
  std::vector<std::string> lost;
  int differ = 0;
  uint64_t missing = 0;
};

class ChangelogLossTest : public testing::Test {
 protected:
  ChangelogLossTest() {
    options_.transaction_interval_ms = 1;
    options_.batch_records_max = 20;
    FillInputs(broker_, faults_.random(), 600);
    const size_t half = InputRecords(broker_) / 2;
    Process process(broker_, faults_, options_);
    while (CommittedRecords(broker_) < half && !HasFailure()) {
      EXPECT_TRUE(process.lane->Step().ok());
    }
    EXPECT_TRUE(process.lane->Drain().ok());
    EXPECT_GT(broker_.changelog.size(), 8U);
    committed_ = broker_.outputs.size();
  }

  /// The error with which a start ends.
  Error Refusal() {
    Process process(broker_, faults_, options_);
    const Result<bool> stepped = process.lane->Step();
    EXPECT_FALSE(stepped.ok());
    EXPECT_EQ(broker_.outputs.size(), committed_);
    return stepped.ok() ? Error{} : stepped.error();
  }
  static void ExpectRefusal(const Error& error) {
    EXPECT_EQ(error.code, ErrorCode::kCorrupt);
    EXPECT_TRUE(error.fatal);
    EXPECT_THAT(error.text, HasSubstr("state.on_changelog_loss"));
    EXPECT_THAT(error.text, HasSubstr("memory-changelog/0"));
  }

  /// Goes on without what is lost, and decides the rest of the inputs.
  std::vector<std::string> Continue() {
    options_.on_changelog_loss = OnLoss::kContinue;
    Process process(broker_, faults_, options_);
    while (CommittedRecords(broker_) < InputRecords(broker_)) {
      const Result<bool> stepped = process.lane->Step();
      EXPECT_TRUE(stepped.ok()) << stepped.error().text;
      if (!stepped.ok()) break;
    }
    EXPECT_TRUE(process.lane->Drain().ok());
    return process.lost;
  }

  /// Makes 100 steps without the lease, in 10 s of its clock.
  static void StandBy(Process& process) {
    process.lease.held = false;
    for (int step = 0; step < 100; ++step) {
      ASSERT_TRUE(process.lane->Step().ok());
      process.clock.SleepMs(100);
    }
    EXPECT_EQ(process.lane->phase(), LanePhase::kStandby);
  }

  void ExpectNothingIsDecided() {
    Process process(broker_, faults_, options_);
    for (int step = 0; step < 20; ++step) ASSERT_TRUE(process.lane->Step().ok());
    EXPECT_EQ(process.lane->phase(), LanePhase::kStandby);
    EXPECT_EQ(broker_.outputs.size(), committed_);
  }

  /// Every record is written once and no seq is given twice; later starts find nothing amiss.
  void ExpectWhole() {
    ExpectEachOffsetOnce(broker_);
    std::set<uint64_t> seqs;
    for (const MemoryOutput& output : broker_.outputs) {
      EXPECT_TRUE(seqs.insert(output.seq).second) << output.seq;
    }
    options_.on_changelog_loss = OnLoss::kFail;
    Process again(broker_, faults_, options_);
    const Result<bool> stepped = again.lane->Step();
    EXPECT_TRUE(stepped.ok()) << stepped.error().text;
    EXPECT_EQ(again.lane->phase(), LanePhase::kActive);
    EXPECT_THAT(again.lost, IsEmpty());
  }

  /// What a snapshot at this delta of the changelog restores, if it was made of the deltas from
  /// `begin` on.
  RestoredSnapshot SnapshotAt(size_t begin, size_t delta) const {
    auto state = LaneState::New(options_.filter, 0);
    EXPECT_TRUE(state.ok());
    for (size_t i = begin; i <= delta; ++i) {
      EXPECT_TRUE((*state)->Apply(*DecodeDelta(broker_.changelog[i])).ok());
    }
    RestoredSnapshot snapshot;
    snapshot.manifest.end = {static_cast<int64_t>(delta), Hash64(broker_.changelog[delta])};
    snapshot.state = std::move(state).value();
    return snapshot;
  }

  Faults faults_{1, 0};
  MemoryBroker broker_;
  LaneOptions options_ = TestOptions(3);
  size_t committed_ = 0;
};

TEST_F(ChangelogLossTest, ADeletedChangelogIsNoFirstStart) {
  broker_.changelog.clear();
  const Error error = Refusal();
  ExpectRefusal(error);
  EXPECT_THAT(error.text, HasSubstr("holds no delta"));
  const auto& [partition, offset] = *broker_.group_offsets.begin();
  EXPECT_THAT(error.text, HasSubstr(partition.topic + "/" + std::to_string(partition.partition) +
                                    " at offset " + std::to_string(offset)));
}

TEST_F(ChangelogLossTest, AChangelogWithoutItsOldestLiveEntriesIsRefused) {
  broker_.changelog_begin = static_cast<int64_t>(broker_.changelog.size()) / 2;
  const Error error = Refusal();
  ExpectRefusal(error);
  EXPECT_THAT(error.text, HasSubstr("live entries are missing"));
}

TEST_F(ChangelogLossTest, AStandbySaysHowManyEntriesATakeOverWouldLack) {
  Process early(broker_, faults_, options_);
  StandBy(early);
  EXPECT_EQ(early.missing, 0U);
  broker_.changelog_begin = static_cast<int64_t>(broker_.changelog.size()) / 2;
  Process late(broker_, faults_, options_);
  StandBy(late);
  EXPECT_GT(late.missing, 0U);
  EXPECT_EQ(late.missing, late.lane->state().entries_missing());
  StandBy(early);
  EXPECT_EQ(early.missing, 0U) << "it has read what is lost now";
}

TEST_F(ChangelogLossTest, AStandbyReadsAgainWhatItsSnapshotLacks) {
  const size_t newest = broker_.changelog.size() - 2;
  Process standby(broker_, faults_, options_, SnapshotAt(newest, newest));
  StandBy(standby);
  EXPECT_THAT(standby.discarded, ElementsAre(HasSubstr("fewer entries than are live")));
  EXPECT_EQ(standby.missing, 0U);
  EXPECT_EQ(standby.lane->state().seq_first(), 1U);
}

TEST_F(ChangelogLossTest, AChangelogThatEndsBeforeTheGroupOffsetsIsRefused) {
  broker_.changelog.resize(broker_.changelog.size() - 3);
  const Error error = Refusal();
  ExpectRefusal(error);
  EXPECT_THAT(error.text, HasSubstr("ends before"));
}

TEST_F(ChangelogLossTest, GoesOnWithoutADeletedChangelogWhereTheGroupIs) {
  broker_.changelog.clear();
  EXPECT_THAT(Continue(), ElementsAre(HasSubstr("holds no delta")));
  ExpectWhole();
}

TEST_F(ChangelogLossTest, GoesOnWithTheEntriesThatAreLeft) {
  broker_.changelog_begin = static_cast<int64_t>(broker_.changelog.size()) / 2;
  EXPECT_THAT(Continue(), ElementsAre(HasSubstr("live entries are missing")));
  ExpectWhole();
}

TEST_F(ChangelogLossTest, GoesOnBehindALostTailWhereTheGroupIs) {
  broker_.changelog.resize(broker_.changelog.size() - 3);
  EXPECT_THAT(Continue(), ElementsAre(HasSubstr("ends before")));
  ExpectWhole();
}

TEST_F(ChangelogLossTest, AnEmptyChangelogWithoutGroupOffsetsIsAFirstStart) {
  broker_.changelog.clear();
  broker_.group_offsets.clear();
  Process process(broker_, faults_, options_);
  EXPECT_TRUE(process.lane->Step().ok());
  EXPECT_EQ(process.lane->phase(), LanePhase::kActive);
}

TEST_F(ChangelogLossTest, AGroupThatIsBehindIsOnlyReported) {
  for (auto& [partition, offset] : broker_.group_offsets) offset = 1;
  Process process(broker_, faults_, options_);
  EXPECT_TRUE(process.lane->Step().ok());
  EXPECT_EQ(process.differ, 3);
  EXPECT_EQ(process.lane->phase(), LanePhase::kActive);
}

TEST_F(ChangelogLossTest, BehindALostTailNothingIsDecidedUntilTheGroupAnswers) {
  options_.on_changelog_loss = OnLoss::kContinue;
  broker_.changelog.resize(broker_.changelog.size() - 3);
  broker_.group_answers = false;
  ExpectNothingIsDecided();
  broker_.group_answers = true;
  EXPECT_THAT(Continue(), ElementsAre(HasSubstr("ends before")));
  ExpectWhole();
}

TEST_F(ChangelogLossTest, AnEmptyChangelogWaitsForTheGroupOffsets) {
  const std::vector<MemoryDelta> changelog = std::exchange(broker_.changelog, {});
  broker_.group_answers = false;
  ExpectNothingIsDecided();
  EXPECT_THAT(broker_.changelog, IsEmpty());
  Process process(broker_, faults_, options_);
  broker_.group_offsets.clear();
  broker_.group_answers = true;
  for (int step = 0; step < 100 && process.lane->phase() != LanePhase::kActive; ++step) {
    ASSERT_TRUE(process.lane->Step().ok());
  }
  EXPECT_EQ(process.lane->phase(), LanePhase::kActive);
}

TEST_F(ChangelogLossTest, AChangelogOfVersion2ThatBeginsInTheMiddleIsRefused) {
  for (MemoryDelta& record : broker_.changelog) {
    Delta delta = *DecodeDelta(record);
    delta.entries_live = kEntriesUnknown;
    record = Encode(delta);
  }
  std::vector<MemoryDelta>& log = broker_.changelog;
  log.erase(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(log.size() / 2));
  const Error error = Refusal();
  ExpectRefusal(error);
  EXPECT_THAT(error.text, HasSubstr("expected seq 1"));
}

TEST_F(ChangelogLossTest, AChangelogThatWasPurgedByAnOlderVersionIsNotRefused) {
  for (MemoryDelta& record : broker_.changelog) {
    Delta delta = *DecodeDelta(record);
    delta.entries_live = kEntriesUnknown;
    record = Encode(delta);
  }
  broker_.changelog_begin = static_cast<int64_t>(broker_.changelog.size()) / 2;
  Process process(broker_, faults_, options_);
  EXPECT_TRUE(process.lane->Step().ok());
  EXPECT_EQ(process.lane->phase(), LanePhase::kActive);
}

TEST_F(ChangelogLossTest, ASnapshotThatIsNewerThanTheChangelogRefusesIt) {
  RestoredSnapshot snapshot = SnapshotAt(0, broker_.changelog.size() - 1);
  broker_.changelog.resize(broker_.changelog.size() - 3);
  broker_.group_offsets.clear();
  Process process(broker_, faults_, options_, std::move(snapshot));
  const Result<bool> stepped = process.lane->Step();
  ASSERT_FALSE(stepped.ok());
  ExpectRefusal(stepped.error());
  EXPECT_THAT(stepped.error().text, HasSubstr("but this instance knew it up to seq"));
}

TEST_F(ChangelogLossTest, ASnapshotOfALaneThatWasResetIsDropped) {
  RestoredSnapshot snapshot = SnapshotAt(0, broker_.changelog.size() - 1);
  broker_.Reset("lane-0");
  {
    Process first(broker_, faults_, options_);
    for (int step = 0; step < 3; ++step) ASSERT_TRUE(first.lane->Step().ok());
    ASSERT_TRUE(first.lane->Drain().ok());
  }
  Process process(broker_, faults_, options_, std::move(snapshot));
  while (CommittedRecords(broker_) < InputRecords(broker_)) {
    const Result<bool> stepped = process.lane->Step();
    ASSERT_TRUE(stepped.ok()) << stepped.error().text;
  }
  EXPECT_TRUE(process.lane->Drain().ok());
  EXPECT_EQ(process.discarded.size(), 1U);
  EXPECT_THAT(process.lost, IsEmpty());
  ExpectWhole();
}

TEST_F(ChangelogLossTest, GoesOnWithoutASnapshotThatIsNewerThanTheChangelog) {
  RestoredSnapshot snapshot = SnapshotAt(0, broker_.changelog.size() - 1);
  broker_.changelog.clear();
  options_.on_changelog_loss = OnLoss::kContinue;
  Process process(broker_, faults_, options_, std::move(snapshot));
  while (CommittedRecords(broker_) < InputRecords(broker_)) {
    ASSERT_TRUE(process.lane->Step().ok());
  }
  EXPECT_TRUE(process.lane->Drain().ok());
  EXPECT_THAT(process.lost, ElementsAre(HasSubstr("no delta")));
  EXPECT_EQ(process.discarded.size(), 1U);
  ExpectWhole();
}

TEST_F(ChangelogLossTest, ASnapshotOfAnotherAppIsDropped) {
  RestoredSnapshot snapshot = SnapshotAt(0, broker_.changelog.size() - 1);
  snapshot.manifest.changelog = "other-changelog/0";
  broker_.changelog.clear();
  broker_.group_offsets.clear();
  Process process(broker_, faults_, options_, std::move(snapshot));
  EXPECT_TRUE(process.lane->Step().ok());
  EXPECT_EQ(process.lane->phase(), LanePhase::kActive);
  EXPECT_THAT(process.discarded, ElementsAre(HasSubstr("of changelog other-changelog/0")));
  EXPECT_EQ(process.lane->state().filter().entries(), 0U);
}

TEST_F(ChangelogLossTest, ASnapshotWithFewerEntriesThanAreLiveGivesWayToTheChangelog) {
  const size_t newest = broker_.changelog.size() - 2;
  Process process(broker_, faults_, options_, SnapshotAt(newest, newest));
  EXPECT_TRUE(process.lane->Step().ok());
  EXPECT_EQ(process.lane->phase(), LanePhase::kActive);
  EXPECT_THAT(process.discarded, ElementsAre(HasSubstr("fewer entries than are live")));
  EXPECT_EQ(process.lane->state().entries_missing(), 0U);
  EXPECT_EQ(process.lane->state().seq_first(), 1U);
}

}  // namespace
}  // namespace neardup
