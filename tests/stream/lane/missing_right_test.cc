// A lane that lacks a right: it tries again less and less often, and one that never worked gives
// up.
#include <gtest/gtest.h>

#include "stream/lane/lane.h"
#include "stream/lane/lane_world.h"
#include "stream/lane/memory_ports.h"

namespace neardup {
namespace {

/// Refuses to write to an output, as a broker does: the deltas of a promotion go through.
class RefusingTransaction : public MemoryTransaction {
 public:
  using MemoryTransaction::MemoryTransaction;
  Result<void> Publish(const RoutedRecord& record) override {
    if (refuses) return Error{ErrorCode::kAuth, "Write on topic news.unique is missing"};
    return MemoryTransaction::Publish(record);
  }
  bool refuses = true;
};

class CountingProbe final : public SeesLane<CountingProbe> {
 public:
  void Saw(const event::LaneLost&) { ++losses; }
  void Saw(const auto& /*ignored*/) {}
  int losses = 0;
};

class MissingRight : public ::testing::Test {
 protected:
  MissingRight() {
    std::mt19937_64 random(1);
    FillInputs(broker_, random, 200);
    options_ = TestOptions(3);
    options_.retry_backoff_min_ms = 100;
    options_.retry_backoff_max_ms = 10'000;
    lease_.held = true;
    auto lane = Lane::New(options_, {source_, changelog_, transaction_, lease_, clock_, probe_});
    EXPECT_TRUE(lane.ok());
    lane_ = std::move(*lane);
  }

  /// Steps for this time of the clock, or until an error.
  Result<void> StepFor(int64_t ms) {
    const int64_t end_ms = clock_.SteadyMs() + ms;
    while (clock_.SteadyMs() < end_ms) {
      lease_.held = true;
      const Result<bool> stepped = lane_->Step();
      if (!stepped.ok()) return stepped.error();
    }
    return {};
  }

  MemoryBroker broker_;
  Faults faults_{1, 0};
  MemorySource source_{broker_, faults_};
  MemoryChangelog changelog_{broker_, faults_};
  RefusingTransaction transaction_{broker_, faults_};
  MemoryLease lease_;
  MemoryClock clock_;
  CountingProbe probe_;
  LaneOptions options_;
  std::unique_ptr<Lane> lane_;
};

TEST_F(MissingRight, ALaneThatHasWorkedTriesAgainLessAndLessOftenAndGoesOnWhenTheRightIsThere) {
  transaction_.refuses = false;
  ASSERT_TRUE(StepFor(3000).ok());
  const size_t before = CommittedRecords(broker_);
  ASSERT_EQ(before, InputRecords(broker_));
  std::mt19937_64 random(2);
  FillInputs(broker_, random, 200);
  transaction_.refuses = true;
  ASSERT_TRUE(StepFor(600'000).ok());
  EXPECT_GE(probe_.losses, 50);
  EXPECT_LE(probe_.losses, 80) << "one attempt every 10 s, after the first ones";
  EXPECT_EQ(CommittedRecords(broker_), before);
  transaction_.refuses = false;
  ASSERT_TRUE(StepFor(30'000).ok());
  EXPECT_EQ(CommittedRecords(broker_), InputRecords(broker_));
}

TEST_F(MissingRight, ALaneThatNeverWorkedEndsWithTheReason) {
  ASSERT_TRUE(StepFor(options_.lease_give_up_ms / 2).ok());
  const Result<void> ended = StepFor(10 * options_.lease_give_up_ms);
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().code, ErrorCode::kAuth);
  EXPECT_NE(ended.error().text.find("Write on topic news.unique is missing"), std::string::npos);
}

}  // namespace
}  // namespace neardup
