// While a commit waits, the lane polls the next batch. Whatever becomes of the commit, each record
// is decided once.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "stream/lane.h"
#include "stream/lane_world.h"
#include "stream/memory_ports.h"

namespace neardup {
namespace {

/// Ends some commits in the way that a test wants, after the lane had its time.
class WaitingTransaction : public MemoryTransaction {
 public:
  using MemoryTransaction::MemoryTransaction;
  Result<void> Commit(std::span<const InputProgress> inputs, const Meanwhile& meanwhile) override {
    waits = true;
    while (meanwhile() && ++asked < 5) {
    }
    waits = false;
    ++commits;
    if (outcome) {
      if (std::optional<Error> error = outcome(commits)) return std::move(*error);
    }
    return MemoryTransaction::Commit(inputs, NothingMeanwhile);
  }
  std::function<std::optional<Error>(int)> outcome;
  bool waits = false;
  int commits = 0;
  int asked = 0;
};

class FailingSource : public MemorySource {
 public:
  using MemorySource::MemorySource;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override {
    if (fails && fails()) return Retriable(ErrorCode::kUnavailable, "the broker is away");
    return MemorySource::Poll(records_max, timeout_ms, out);
  }
  std::function<bool()> fails;
};

class ReadAheadTest : public testing::Test, public PartialProbe {
 protected:
  void SetUp() override {
    std::mt19937_64 random(5);
    FillInputs(broker_, random, 300);
    options_ = TestOptions(3);
    options_.batch_records_max = 10;
    options_.transaction_interval_ms = 20;
    lease_.held = true;
    auto made = Lane::New(options_, {source_, changelog_, transaction_, lease_, clock_, *this});
    ASSERT_TRUE(made.ok()) << made.error().text;
    lane_ = std::move(*made);
  }

  void BatchPolled(const InputPartition&, uint64_t records, uint64_t) override {
    (transaction_.waits ? polled_ahead_ : polled_otherwise_) += records;
  }
  void LaneLost(const Error&) override { ++losses_; }

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
  uint64_t polled_ahead_ = 0;
  uint64_t polled_otherwise_ = 0;
  int losses_ = 0;
};

TEST_F(ReadAheadTest, ABatchIsPolledWhileACommitWaits) {
  DecideAll();
  EXPECT_GT(polled_ahead_, 0U);
  EXPECT_GT(polled_otherwise_, 0U);
  EXPECT_EQ(polled_ahead_ + polled_otherwise_, InputRecords(broker_));
}

TEST_F(ReadAheadTest, AfterAnAbortTheBatchIsPolledAgain) {
  transaction_.outcome = [](int commit) -> std::optional<Error> {
    if (commit % 3 != 0) return {};
    return Error{ErrorCode::kAborted, "aborted by the broker"};
  };
  DecideAll();
  EXPECT_GT(polled_ahead_ + polled_otherwise_, InputRecords(broker_));
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

TEST_F(ReadAheadTest, APollThatFailsWhileACommitWaitsCostsNoCommit) {
  bool failed = false;
  source_.fails = [&] { return transaction_.waits && !std::exchange(failed, true); };
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
  EXPECT_EQ(CommittedRecords(broker_), polled_otherwise_);
  auto next = Lane::New(options_, {source_, changelog_, transaction_, lease_, clock_, *this});
  ASSERT_TRUE(next.ok());
  lane_ = std::move(*next);
  lease_.held = true;
  DecideAll();
}

}  // namespace
}  // namespace neardup
