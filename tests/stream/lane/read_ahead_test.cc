// While a batch is decided and committed, the lane polls the next one. Whatever becomes of the
// commit, each record is decided once.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "stream/lane/lane.h"
#include "stream/lane/lane_world.h"
#include "stream/lane/memory_ports.h"

namespace neardup {
namespace {

/// Ends some commits in the way that a test wants, after the lane had its time.
class WaitingTransaction : public MemoryTransaction {
 public:
  using MemoryTransaction::MemoryTransaction;
  Result<void> Publish(const RoutedRecord& record) override {
    ++published;
    return MemoryTransaction::Publish(record);
  }
  void StartCommit(std::span<const InputProgress> inputs) override {
    inputs_ = inputs;
    asked_ = 0;
    if (waits) waits();
  }
  bool CommitHasEnded() override { return asked_++ == 10; }
  Result<void> FinishCommit() override {
    ++commits;
    if (outcome) {
      if (std::optional<Error> error = outcome(commits)) return std::move(*error);
    }
    MemoryTransaction::StartCommit(inputs_);
    return MemoryTransaction::FinishCommit();
  }
  std::function<std::optional<Error>(int)> outcome;
  std::function<void()> waits;
  int commits = 0;
  uint64_t published = 0;

 private:
  std::span<const InputProgress> inputs_;
  int asked_ = 0;
};

class FailingSource : public MemorySource {
 public:
  using MemorySource::MemorySource;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override {
    if (fails && fails()) return Retriable(ErrorCode::kUnavailable, "the broker is away");
    const size_t before = out.size();
    NEARDUP_TRY(MemorySource::Poll(records_max, timeout_ms, out));
    if (polled) polled(out.size() - before);
    return {};
  }
  /// What is left counts as this number of records, in each input that has any.
  std::vector<InputStatus> Status() override {
    std::vector<InputStatus> rows = MemorySource::Status();
    for (InputStatus& row : rows) row.lag_records *= lag_records;
    return rows;
  }
  std::function<bool()> fails;
  std::function<void(size_t)> polled;
  int64_t lag_records = 1;
};

class ReadAheadTest : public testing::Test, public SeesLane<ReadAheadTest> {
 public:
  void Saw(const event::LaneLost&) { ++losses_; }
  void Saw(const auto& /*ignored*/) {}

 protected:
  void SetUp() override {
    std::mt19937_64 random(5);
    FillInputs(broker_, random, 300);
    options_ = TestOptions(3);
    options_.batch_records_max = 10;
    options_.transaction_interval_ms = 20;
    lease_.held = true;
    source_.polled = [this](size_t records) {
      if (polled_ > transaction_.published) polled_ahead_ += records;
      polled_ += records;
    };
    NewLane();
  }
  /// Another lane, with the options as they are now.
  void NewLane() {
    auto made = Lane::New(options_, {source_, changelog_, transaction_, lease_, clock_, *this});
    ASSERT_TRUE(made.ok()) << made.error().text;
    lane_ = std::move(*made);
  }

  void DecideAll() {
    const size_t want = InputRecords(broker_);
    for (int step = 0; CommittedRecords(broker_) < want; ++step) {
      ASSERT_LT(step, 20'000) << "no progress";
      const Result<bool> stepped = lane_->Step();
      ASSERT_TRUE(stepped.ok()) << stepped.error().text;
    }
    ExpectEachOffsetOnce(broker_);
  }

  MemoryBroker broker_;
  Faults no_faults_{1, 0};
  MemoryClock clock_;
  LaneOptions options_;
  FailingSource source_{broker_, no_faults_};
  MemoryChangelog changelog_{broker_, no_faults_};
  WaitingTransaction transaction_{broker_, no_faults_};
  MemoryLease lease_;
  std::unique_ptr<Lane> lane_;
  uint64_t polled_ = 0;
  uint64_t polled_ahead_ = 0;  ///< while an earlier record was not published
  int losses_ = 0;
};

TEST_F(ReadAheadTest, ABatchIsPolledWhileTheOneBeforeIsDecided) {
  DecideAll();
  EXPECT_GT(polled_ahead_, InputRecords(broker_) / 2);
  EXPECT_EQ(polled_, InputRecords(broker_));
}

TEST_F(ReadAheadTest, RecordsThatComeWhileACommitWaitsArePolledMeanwhile) {
  DecideAll();
  std::mt19937_64 random(6);
  FillInputs(broker_, random, 5);
  uint64_t polled_while_waiting = 0;
  bool first = true;
  transaction_.waits = [&] {
    if (std::exchange(first, false)) FillInputs(broker_, random, 5);
    const uint64_t before = polled_;
    source_.polled = [&, before](size_t records) {
      polled_ += records;
      polled_while_waiting = polled_ - before;
    };
  };
  for (int step = 0; first; ++step) {
    ASSERT_LT(step, 1000) << "no commit";
    ASSERT_TRUE(lane_->Step().ok());
  }
  EXPECT_GT(polled_while_waiting, 0U);
  DecideAll();
}

TEST_F(ReadAheadTest, SeveralBatchesAreReadWhileACommitWaits) {
  uint64_t most = 0;
  uint64_t before = 0;
  transaction_.waits = [&] { before = polled_; };
  transaction_.outcome = [&](int) -> std::optional<Error> {
    most = std::max(most, polled_ - before);
    return {};
  };
  DecideAll();
  EXPECT_GT(most, 2 * options_.batch_records_max);
}

TEST_F(ReadAheadTest, WhatIsReadWhileACommitWaitsIsDecidedForTheNextTransaction) {
  uint64_t decided_ahead = 0;
  transaction_.outcome = [&](int) -> std::optional<Error> {
    decided_ahead += lane_->state().seq() - transaction_.published;
    return {};
  };
  DecideAll();
  EXPECT_GT(decided_ahead, InputRecords(broker_) / 2);
  EXPECT_EQ(transaction_.published, InputRecords(broker_));
}

TEST_F(ReadAheadTest, WhatIsDecidedAheadAndWhatCommitsFitIntoOneTransactionTogether) {
  options_.transaction_bytes_max = 25 * kRecordBytesMin;
  NewLane();
  uint64_t most = 0;
  transaction_.outcome = [&](int) -> std::optional<Error> {
    most = std::max(most, lane_->state().seq() - lane_->state().seq_committed());
    return {};
  };
  DecideAll();
  EXPECT_EQ(most, UncommittedMax(options_));
}

TEST_F(ReadAheadTest, ATransactionThatFillsUpLeavesRoomForWhatIsDecidedWhileItCommits) {
  options_.transaction_bytes_max = 50 * kRecordBytesMin;
  options_.transaction_interval_ms = 10'000;
  NewLane();
  int without = 0;
  transaction_.outcome = [&](int) -> std::optional<Error> {
    const bool more = transaction_.published > 0 && polled_ < InputRecords(broker_);
    without += more && lane_->state().seq() == transaction_.published ? 1 : 0;
    return {};
  };
  DecideAll();
  EXPECT_GT(transaction_.commits, 5);
  EXPECT_EQ(without, 0);
}

TEST_F(ReadAheadTest, AnAbortUndoesWhatWasDecidedAhead) {
  uint64_t decided_ahead = 0;
  transaction_.outcome = [&](int commit) -> std::optional<Error> {
    if (commit % 3 != 0) return {};
    decided_ahead += lane_->state().seq() - lane_->state().seq_committed();
    return Error{ErrorCode::kAborted, "aborted by the broker"};
  };
  DecideAll();
  EXPECT_GT(decided_ahead, 0U);
  EXPECT_EQ(lane_->state().seq(), InputRecords(broker_));
}

/// Each commit takes half an interval.
class IntervalTest : public ReadAheadTest {
 protected:
  static constexpr int64_t kIntervalMs = 1000;

  void SetUp() override {
    ReadAheadTest::SetUp();
    options_.transaction_interval_ms = kIntervalMs;
    NewLane();
    DecideAll();
    transaction_.outcome = [this](int) -> std::optional<Error> {
      clock_.SleepMs(kIntervalMs / 2);
      return {};
    };
  }
  /// The mean time from one commit to the next over five commits. `records` come before each.
  double CommitEveryMs(size_t records) {
    std::mt19937_64 random(7);
    std::vector<int64_t> commits_ms;
    transaction_.waits = [&] {
      commits_ms.push_back(clock_.SteadyMs());
      FillInputs(broker_, random, records);
    };
    FillInputs(broker_, random, records);
    while (commits_ms.size() < 6 && !HasFailure()) EXPECT_TRUE(lane_->Step().ok());
    transaction_.waits = nullptr;
    if (HasFailure()) return 0;
    return static_cast<double>(commits_ms.back() - commits_ms.front()) / 5;
  }
};

TEST_F(IntervalTest, CountsFromTheFirstDecisionInALaneThatKeepsUp) {
  EXPECT_LT(CommitEveryMs(10), kIntervalMs * 1.25);
}

TEST_F(IntervalTest, CountsFromTheCommitBeforeInALaneThatIsBehind) {
  source_.lag_records = 10'000;
  EXPECT_GE(CommitEveryMs(5000), kIntervalMs * 1.5);
}

TEST_F(ReadAheadTest, WhatIsReadAheadFitsIntoOneTransaction) {
  options_.transaction_bytes_max = 1;  // one record
  NewLane();
  uint64_t most = 0;
  transaction_.outcome = [&](int) -> std::optional<Error> {
    most = std::max(most, polled_ - transaction_.published);
    return {};
  };
  DecideAll();
  EXPECT_EQ(most, 1U);
}

TEST_F(ReadAheadTest, AfterAnAbortTheBatchIsPolledAgain) {
  transaction_.outcome = [](int commit) -> std::optional<Error> {
    if (commit % 3 != 0) return {};
    return Error{ErrorCode::kAborted, "aborted by the broker"};
  };
  DecideAll();
  EXPECT_GT(polled_, InputRecords(broker_));
  EXPECT_EQ(losses_, 0);
}

TEST_F(ReadAheadTest, AfterALostLaneTheBatchIsPolledAgain) {
  transaction_.outcome = [](int commit) -> std::optional<Error> {
    if (commit != 4) return {};
    return Retriable(ErrorCode::kUnknownOutcome, "no answer");
  };
  DecideAll();
  EXPECT_EQ(losses_, 1);
}

TEST_F(ReadAheadTest, APollAheadThatFailsCostsNoCommit) {
  bool failed = false;
  source_.fails = [&] {
    const bool ahead = polled_ > transaction_.published && transaction_.commits > 3;
    return ahead && !std::exchange(failed, true);
  };
  uint64_t committed_at_loss = 0;
  while (losses_ == 0) {
    ASSERT_TRUE(lane_->Step().ok());
    if (losses_ == 0) committed_at_loss = CommittedRecords(broker_);
  }
  EXPECT_TRUE(failed);
  EXPECT_EQ(CommittedRecords(broker_), committed_at_loss);
  DecideAll();
}

TEST_F(ReadAheadTest, AStopLeavesWhatWasReadAheadToTheNextStart) {
  while (polled_ahead_ == 0) ASSERT_TRUE(lane_->Step().ok());
  ASSERT_TRUE(lane_->Drain().ok());
  EXPECT_EQ(CommittedRecords(broker_), transaction_.published);
  EXPECT_GT(polled_, transaction_.published);
  auto next = Lane::New(options_, {source_, changelog_, transaction_, lease_, clock_, *this});
  ASSERT_TRUE(next.ok());
  lane_ = std::move(*next);
  lease_.held = true;
  DecideAll();
}

}  // namespace
}  // namespace neardup
