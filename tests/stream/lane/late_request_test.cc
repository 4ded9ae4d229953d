// A lane whose commit or abort succeeds while its request may reach the broker once more: the lane
// is fenced before its next transaction, and this is not counted as a fault.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lane/lane_instance.h"
#include "stream/lane/lane_world.h"

namespace neardup {
namespace {

/// Only what the test asks for fails.
class OrderedFaults : public Faults {
 public:
  OrderedFaults() : Faults(1, 0) {}
  struct Order {
    std::string call;
    Kind kind;
  };
  Kind Draw(std::string_view call, std::initializer_list<Kind>) override {
    if (orders.empty() || orders.front().call != call) return Kind::kNone;
    const Kind kind = orders.front().kind;
    orders.erase(orders.begin());
    return kind;
  }
  std::vector<Order> orders;
};

class LateRequestOfALane : public ::testing::Test {
 protected:
  LateRequestOfALane() {
    instance_ = std::make_unique<Instance>(broker_, faults_, clock_, TestOptions(3));
    instance_->lease.held = true;
    DecideMore();
  }
  void DecideMore() {
    std::mt19937_64 random(++fills_);
    FillInputs(broker_, random, 50);
    const auto error = StepUntil(*instance_, [&] {
      return CommittedRecords(broker_) == InputRecords(broker_) && faults_.orders.empty();
    });
    ASSERT_FALSE(error) << error->text;
  }
  /// Requests that still arrive find a newer epoch.
  void ExpectLateRequestsToBeVoid() {
    ASSERT_FALSE(broker_.late_ends.empty());
    for (const MemoryBroker::LateEnd& late : broker_.late_ends) {
      EXPECT_FALSE(broker_.IsCurrent(late.id, late.epoch));
    }
    while (!broker_.late_ends.empty()) broker_.Arrive(0);
    ExpectEachOffsetOnce(broker_);
  }

  OrderedFaults faults_;
  MemoryBroker broker_;
  MemoryClock clock_;
  uint64_t fills_ = 0;
  std::unique_ptr<Instance> instance_;
};

TEST_F(LateRequestOfALane, ALateCopyOfACommitFindsANewEpoch) {
  faults_.orders = {{"Commit", Faults::Kind::kCopyLate}};
  DecideMore();
  DecideMore();
  ExpectLateRequestsToBeVoid();
  EXPECT_EQ(instance_->probe.late_requests_fenced, 1);
}

TEST_F(LateRequestOfALane, ALateCopyOfAnAbortFindsANewEpoch) {
  faults_.orders = {{"Commit", Faults::Kind::kAborted}, {"Abort", Faults::Kind::kCopyLate}};
  DecideMore();
  ExpectLateRequestsToBeVoid();
  EXPECT_EQ(instance_->probe.late_requests_fenced, 1);
}

TEST_F(LateRequestOfALane, AnInstanceThatIsFencedForLateRequestsKeepsTheLease) {
  const int64_t begin_ms = clock_.SteadyMs();
  int times = 0;
  for (; clock_.SteadyMs() - begin_ms < 5 * LaneOptions().lease_give_up_ms; ++times) {
    faults_.orders = {{"Commit", Faults::Kind::kCopyLate}};
    DecideMore();
    ASSERT_TRUE(instance_->lease.held) << "after " << times << " late requests";
  }
  DecideMore();
  EXPECT_EQ(instance_->probe.late_requests_fenced, times);
  ExpectLateRequestsToBeVoid();
}

}  // namespace
}  // namespace neardup
