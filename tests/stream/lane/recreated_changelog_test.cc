// An instance that was paused, or stands by, while its changelog was deleted and created again, or
// restored from an older copy. Whatever it remembers is of another log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "stream/lane/changelog_keeper.h"
#include "stream/lane/lane_instance.h"
#include "stream/lane/lane_world.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

using testing::HasSubstr;

class RecreatedChangelogTest : public testing::Test {
 protected:
  RecreatedChangelogTest() {
    options_.transaction_interval_ms = 1;
    options_.batch_records_max = 20;
    FillInputs(broker_, faults_.random(), 600);
  }

  std::unique_ptr<Instance> New(bool held) {
    auto instance = std::make_unique<Instance>(broker_, faults_, clock_, options_);
    instance->lease.held = held;
    return instance;
  }
  void DecideUpTo(Instance& instance, size_t records) {
    while (CommittedRecords(broker_) < records) {
      const Result<bool> stepped = instance.lane->Step();
      ASSERT_TRUE(stepped.ok()) << stepped.error().text;
    }
  }
  /// The instance stands by and has read the whole changelog.
  void Follow(Instance& instance) {
    for (int step = 0; step < 100; ++step) {
      ASSERT_TRUE(instance.lane->Step().ok());
      clock_.SleepMs(100);
    }
    ASSERT_EQ(instance.lane->state().seq(), Newest().seq_last);
  }
  Delta Newest() const { return DecodeDelta(broker_.NewestDelta()).value(); }
  void TakeOver(Instance& instance) {
    instance.lease.held = true;
    DecideUpTo(instance, InputRecords(broker_));
    ASSERT_TRUE(instance.lane->Drain().ok());
  }

  Faults faults_{1, 0};
  MemoryBroker broker_;
  MemoryClock clock_;
  LaneOptions options_ = TestOptions(3);
};

TEST_F(RecreatedChangelogTest, AStandbyThatWasPausedDecidesEverythingAfterAReset) {
  auto active = New(true);
  DecideUpTo(*active, 400);
  auto standby = New(false);
  Follow(*standby);
  broker_.Reset("lane-0");
  auto fresh = New(true);
  DecideUpTo(*fresh, 60);
  ASSERT_TRUE(fresh->lane->Drain().ok());
  TakeOver(*standby);
  ExpectEachOffsetOnce(broker_);
}

TEST_F(RecreatedChangelogTest, AStandbyThatWasPausedFollowsALogThatHasPassedItsOffset) {
  auto active = New(true);
  DecideUpTo(*active, 60);
  auto standby = New(false);
  Follow(*standby);
  broker_.Reset("lane-0");
  auto fresh = New(true);
  DecideUpTo(*fresh, 400);
  Follow(*standby);
  EXPECT_EQ(standby->lane->state().place().log_id, Newest().log_id);
  ASSERT_TRUE(fresh->lane->Drain().ok());
  TakeOver(*standby);
  ExpectEachOffsetOnce(broker_);
}

TEST_F(RecreatedChangelogTest, AStandbyThatHasReadOnlyAbortedDeltasReadsTheNewLogFromItsBeginning) {
  broker_.WriteDelta("lane-0", "never committed");
  broker_.EndTransaction("lane-0", false);
  auto standby = New(false);
  while (standby->changelog.next_offset() < broker_.ChangelogEnd()) {
    ASSERT_TRUE(standby->lane->Step().ok());
  }
  const int64_t end = standby->changelog.next_offset();
  broker_.Reset("lane-0");
  auto fresh = New(true);
  while (fresh->lane->phase() != LanePhase::kActive) ASSERT_TRUE(fresh->lane->Step().ok());
  ASSERT_LE(broker_.ChangelogEnd(), end) << "the new log does not tell by its length";
  const uint64_t first = Newest().writer;
  TakeOver(*standby);
  ExpectEachOffsetOnce(broker_);
  EXPECT_EQ(Newest().log_id, first) << "the new log goes on";
}

TEST_F(RecreatedChangelogTest, AnActiveInstanceThatWasPausedDecidesEverythingAfterAReset) {
  auto paused = New(true);
  DecideUpTo(*paused, 300);
  broker_.Reset("lane-0");
  auto fresh = New(true);
  DecideUpTo(*fresh, 60);
  ASSERT_TRUE(fresh->lane->Drain().ok());
  TakeOver(*paused);
  ExpectEachOffsetOnce(broker_);
}

TEST_F(RecreatedChangelogTest, AnActiveInstanceThatWasPausedBeginsAgainWhenNobodyElseDid) {
  auto paused = New(true);
  DecideUpTo(*paused, 300);
  broker_.Reset("lane-0");
  TakeOver(*paused);
  ExpectEachOffsetOnce(broker_);
}

/// Does something once, right before the offsets of the group are asked for.
class BeforeTheOffsets : public Faults {
 public:
  explicit BeforeTheOffsets(std::function<void()> act) : Faults(1, 0), act_(std::move(act)) {}
  Kind Draw(std::string_view call, std::initializer_list<Kind> possible) override {
    if (call == "CommittedOffsets" && act_) std::exchange(act_, nullptr)();
    return Faults::Draw(call, possible);
  }

 private:
  std::function<void()> act_;
};

TEST_F(RecreatedChangelogTest, AnInstanceThatWasPausedInItsPromotionDoesNotTakeAResetForALoss) {
  options_.batch_records_max = 1;
  auto first = New(true);
  DecideUpTo(*first, 40);
  ASSERT_TRUE(first->lane->Drain().ok());
  first.reset();
  const int64_t end = broker_.ChangelogEnd();
  options_.batch_records_max = 20;
  BeforeTheOffsets pause([this, end] {
    broker_.Reset("lane-0");
    auto fresh = New(true);
    DecideUpTo(*fresh, 200);
    ASSERT_TRUE(fresh->lane->Drain().ok());
    ASSERT_LT(broker_.ChangelogEnd(), end) << "the new log does not tell by its length";
  });
  Instance paused(broker_, pause, clock_, options_);
  paused.lease.held = true;
  TakeOver(paused);
  ExpectEachOffsetOnce(broker_);
}

TEST_F(RecreatedChangelogTest, ALaneThatNeverBeganStartsAtWhatItsInputsHoldThen) {
  const InputPartition input{"a", 0};
  BeforeTheOffsets retention([this, &input] {
    broker_.deleted_below[input] = broker_.inputs[input][20].offset;
    broker_.group_answers = false;
  });
  Instance instance(broker_, retention, clock_, options_);
  instance.lease.held = true;
  ASSERT_TRUE(instance.lane->Step().ok());
  ASSERT_NE(instance.lane->phase(), LanePhase::kActive) << "its promotion did not succeed";
  broker_.group_answers = true;
  const std::optional<Error> error = StepUntil(instance, [&] { return instance.AtEnd(); });
  EXPECT_FALSE(error) << error->text;
  EXPECT_GT(CommittedRecords(broker_), 500U);
}

TEST_F(RecreatedChangelogTest, AStandbyDoesNotGoOnBehindALogThatWasRestoredFromAnOlderCopy) {
  auto active = New(true);
  DecideUpTo(*active, 200);
  const std::vector<MemoryDelta> copy = broker_.changelog;
  const auto offsets = broker_.group_offsets;
  const auto outputs = broker_.outputs;
  const auto commits = broker_.commits;
  DecideUpTo(*active, 400);
  auto standby = New(false);
  Follow(*standby);
  active.reset();
  // All of it is as it was when the copy was made, as after the loss of a cluster.
  broker_.changelog = copy;
  broker_.group_offsets = offsets;
  broker_.outputs = outputs;
  broker_.commits = commits;
  auto fresh = New(true);
  DecideUpTo(*fresh, 300);
  ASSERT_TRUE(fresh->lane->Drain().ok());
  TakeOver(*standby);
  ExpectEachOffsetOnce(broker_);
}

TEST_F(RecreatedChangelogTest, ALogThatLostTheEndThatAStandbyHasReadIsRefused) {
  auto active = New(true);
  DecideUpTo(*active, 300);
  auto standby = New(false);
  Follow(*standby);
  active.reset();
  broker_.changelog.resize(broker_.changelog.size() - 2);
  broker_.group_offsets.clear();
  standby->lease.held = true;
  const auto error = StepUntil(*standby, [] { return false; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kCorrupt);
  EXPECT_THAT(error->text, HasSubstr("but this instance knew it up to seq"));
}

TEST_F(RecreatedChangelogTest, AHoleIsStillAHole) {
  auto active = New(true);
  DecideUpTo(*active, 300);
  active.reset();
  broker_.changelog.erase(broker_.changelog.begin() + 3);
  auto next = New(true);
  const auto error = StepUntil(*next, [] { return false; });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kCorrupt);
  EXPECT_THAT(error->text, HasSubstr("the changelog has a hole"));
}

class KeeperProbeOfTest final : public SeesKeeper<KeeperProbeOfTest> {
 public:
  void Saw(const event::ChangelogPurged&) { ++purges; }
  void Saw(const auto& /*ignored*/) {}
  int purges = 0;
};

TEST_F(RecreatedChangelogTest, AKeeperPurgesNothingOfALogThatItHasNotRead) {
  options_.filter.window.window_ms = 20'000;
  options_.filter.window.lateness_ms = 0;
  auto active = New(true);
  DecideUpTo(*active, InputRecords(broker_));
  MemoryChangelog log(broker_, faults_);
  KeeperProbeOfTest probe;
  KeeperOptions keeping;
  keeping.filter = options_.filter;
  keeping.snapshot_interval_ms = 1'000'000;
  ChangelogKeeper keeper(keeping, log, clock_, probe, std::nullopt);
  while (log.next_offset() < broker_.ChangelogEnd()) keeper.Step();
  broker_.Reset("lane-0");
  auto fresh = New(true);
  DecideUpTo(*fresh, 200);
  ASSERT_GT(broker_.ChangelogEnd(), 4);
  clock_.SleepMs(keeping.snapshot_interval_ms);
  keeper.Step();
  EXPECT_EQ(broker_.changelog_begin, 0);
  EXPECT_EQ(probe.purges, 0);
  // It purges again once it has read the new log.
  DecideUpTo(*fresh, InputRecords(broker_));
  for (int round = 0; round < 3; ++round) {
    for (int step = 0; step < 500; ++step) keeper.Step();
    clock_.SleepMs(keeping.snapshot_interval_ms);
  }
  keeper.Step();
  EXPECT_GT(probe.purges, 0);
  EXPECT_GT(broker_.changelog_begin, 0);
  ASSERT_TRUE(fresh->lane->Drain().ok());
  auto again = New(true);
  const Result<bool> stepped = again->lane->Step();
  ASSERT_TRUE(stepped.ok()) << stepped.error().text;
}

}  // namespace
}  // namespace neardup
