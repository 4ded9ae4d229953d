// An instance takes the lane before it has the lease, when the process that was active has ended;
// and what happens when it only seemed to have ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/lane/lane_instance.h"
#include "stream/lane/lane_world.h"

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Another instance takes the lane as the first delta is written.
class FencesFirstDelta : public Faults {
 public:
  FencesFirstDelta() : Faults(5, 0) {}
  Kind Draw(std::string_view call, std::initializer_list<Kind> possible) override {
    const bool first = call == "PublishDelta" && deltas_++ == 0;
    return first ? Kind::kFenced : Faults::Draw(call, possible);
  }

 private:
  int deltas_ = 0;
};

class TakeOver : public testing::Test {
 protected:
  TakeOver() {
    FillInputs(broker_, faults_.random(), 200);
    first_.lease.held = true;
    EXPECT_FALSE(StepUntil(first_, [&] { return first_.AtEnd(); }));
    EXPECT_FALSE(StepUntil(second_, [&] { return second_.lease.candidate; }));
    Step(second_, 3);
  }

  void Step(Instance& instance, int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(instance.lane->Step().ok());
      clock_.SleepMs(100);
    }
  }
  static bool IsActive(const Instance& instance) {
    return instance.lane->phase() == LanePhase::kActive;
  }
  /// Something to commit, by which an instance finds out that it is fenced.
  void AddRecords() { FillInputs(broker_, faults_.random(), 10); }

  Faults faults_{3, 0};
  MemoryBroker broker_;
  MemoryClock clock_;
  Instance first_{broker_, faults_, clock_, TestOptions(3), "first"};
  Instance second_{broker_, faults_, clock_, TestOptions(3), "second"};
};

TEST_F(TakeOver, AStandbyTakesTheLaneWithoutTheLeaseWhenTheActiveProcessHasEnded) {
  EXPECT_EQ(second_.lease.watched, "first");
  EXPECT_FALSE(IsActive(second_)) << "the active process runs";
  second_.lease.ended = "first";
  Step(second_, 1);
  EXPECT_TRUE(IsActive(second_));
  EXPECT_THAT(second_.probe.taken_from, ElementsAre("first"));
  AddRecords();
  EXPECT_FALSE(StepUntil(second_, [&] { return second_.AtEnd(); }));
  EXPECT_TRUE(IsActive(second_)) << "it works while the lease is on its way";

  second_.lease.held = true;
  Step(second_, 1);
  EXPECT_TRUE(IsActive(second_));
  second_.lease.held = false;
  Step(second_, 1);
  EXPECT_FALSE(IsActive(second_)) << "it had the lease, and has lost it";
}

TEST_F(TakeOver, TheLastOfSeveralStandbysKeepsTheLane) {
  Instance third(broker_, faults_, clock_, TestOptions(3), "third");
  ASSERT_FALSE(StepUntil(third, [&] { return third.lease.candidate; }));
  Step(third, 3);
  second_.lease.ended = third.lease.ended = "first";
  Step(second_, 1);
  ASSERT_TRUE(IsActive(second_));
  // The third one has read that the second one is active, and watches it.
  Step(third, 3);
  EXPECT_EQ(third.lease.watched, "second");
  EXPECT_FALSE(IsActive(third));
  EXPECT_THAT(third.probe.taken_from, IsEmpty());
}

TEST_F(TakeOver, AnInstanceThatWasWrongNeverDoesItAgain) {
  second_.lease.ended = "first";
  Step(second_, 1);
  ASSERT_TRUE(IsActive(second_));
  AddRecords();
  // The first one has the lease. It finds out that it was fenced, and takes the lane again.
  ASSERT_FALSE(StepUntil(first_, [&] { return first_.lane->state().epoch() == 3; }));
  ASSERT_TRUE(IsActive(first_));
  AddRecords();
  ASSERT_FALSE(StepUntil(second_, [&] { return second_.lease.watched == "first"; }));
  Step(second_, 20);
  EXPECT_FALSE(IsActive(second_)) << "the first one still seems to have ended";
  EXPECT_THAT(second_.probe.taken_from, ElementsAre("first"));
  EXPECT_THAT(second_.probe.wrong_about, ElementsAre("first"));

  // Another process has ended, and this instance does not trust what it sees.
  first_.lease.held = false;
  Step(first_, 1);
  Instance third(broker_, faults_, clock_, TestOptions(3), "third");
  third.lease.held = true;
  ASSERT_FALSE(StepUntil(third, [&] { return third.AtEnd(); }));
  ASSERT_FALSE(StepUntil(second_, [&] { return second_.lease.watched == "third"; }));
  second_.lease.ended = "third";
  Step(second_, 20);
  EXPECT_FALSE(IsActive(second_));
  second_.lease.held = true;
  Step(second_, 1);
  EXPECT_TRUE(IsActive(second_)) << "the lease counts as before";
}

TEST_F(TakeOver, AnAttemptThatFailsIsNotRepeated) {
  second_.lease.ended = "first";
  second_.transaction.fences = true;
  Faults none(4, 0);
  // Another instance has the lane already, and has not committed its first delta.
  MemoryTransaction other(broker_, none);
  ASSERT_TRUE(second_.lane->Step().ok());
  ASSERT_TRUE(IsActive(second_));
  ASSERT_TRUE(other.Fence().ok());
  AddRecords();
  ASSERT_FALSE(StepUntil(second_, [&] { return !IsActive(second_); }));
  Step(second_, 20);
  EXPECT_FALSE(IsActive(second_));
  EXPECT_THAT(second_.probe.taken_from, ElementsAre("first"));
}

TEST_F(TakeOver, AnInstanceThatLosesToAnotherStandbyWasNotWrong) {
  FencesFirstDelta faults;
  Instance loser(broker_, faults, clock_, TestOptions(3), "loser");
  ASSERT_FALSE(StepUntil(loser, [&] { return loser.lease.candidate; }));
  Step(loser, 3);
  loser.lease.ended = "first";
  Step(loser, 20);
  EXPECT_FALSE(IsActive(loser));
  EXPECT_THAT(loser.probe.taken_from, ElementsAre("first"));
  EXPECT_THAT(loser.probe.wrong_about, IsEmpty()) << "the first one wrote nothing since";

  second_.lease.held = true;
  Step(second_, 1);
  ASSERT_TRUE(IsActive(second_));
  Step(loser, 3);
  loser.lease.ended = "second";
  Step(loser, 1);
  EXPECT_TRUE(IsActive(loser)) << "it still takes the lane from a process that has ended";
}

TEST_F(TakeOver, AColdInstanceWaitsUntilItHasReadTheChangelog) {
  Instance cold(broker_, faults_, clock_, TestOptions(3), "cold");
  cold.lease.ended = "first";
  while (!cold.lease.candidate) {
    ASSERT_TRUE(cold.lane->Step().ok());
    ASSERT_FALSE(IsActive(cold));
  }
  Step(cold, 2);
  EXPECT_TRUE(IsActive(cold));
}

}  // namespace
}  // namespace neardup
