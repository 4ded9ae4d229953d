// The lease port on a real broker.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"

namespace neardup {
namespace {

class RealLease : public ::testing::Test {
 protected:
  void SetUp() override {
    options_ = FreshOptions(TestBrokers());
    CreateTopic(options_.brokers, LeaseTopic(options_), 1);
  }
  std::unique_ptr<Lease> Join() {
    std::unique_ptr<Lease> lease = NewKafkaLease(options_, {});
    lease->Join();
    return lease;
  }
  /// Waits until the lease is held. The time limit only ends a hung test.
  static void AwaitHeld(Lease& lease) {
    for (int looks = 0; looks < 3000; ++looks) {
      const Result<bool> held = lease.Held();
      ASSERT_OK(held);
      if (*held) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << "the lease was never held";
  }

  /// Waits until the group is stable with this number of members. The time limit only ends a hung
  /// test.
  void AwaitMembers(int members) {
    for (int looks = 0; looks < 300; ++looks) {
      if (GroupMembers(options_.brokers, LeaseTopic(options_)) == members) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    FAIL() << "the group never had " << members << " members";
  }

  KafkaOptions options_;
};

TEST_F(RealLease, TheOnlyMemberHoldsIt) {
  auto lease = Join();
  AwaitHeld(*lease);
  lease->Release();
  EXPECT_FALSE(*lease->Held());
}

TEST_F(RealLease, AMemberThatJoinsBeforeItsBrokerKnowsTheTopicHoldsItSoonAfter) {
  options_ = FreshOptions(TestBrokers());
  auto lease = Join();
  bool unknown = false;
  for (int looks = 0; looks < 3000 && !unknown; ++looks) {
    unknown = !lease->Held().ok();  // an error until the broker knows the topic
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(unknown);
  CreateTopic(options_.brokers, LeaseTopic(options_), 1);
  bool held = false;
  for (int looks = 0; looks < 3000 && !held; ++looks) {
    const Result<bool> answer = lease->Held();
    held = answer.ok() && *answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(held);
}

TEST_F(RealLease, ANewcomerDoesNotTakeItButGetsItAtRelease) {
  auto first = Join();
  AwaitHeld(*first);
  auto second = Join();
  AwaitMembers(2);
  // After 5 s without the lease the newcomer joins once more. Both must never hold the lease at the
  // same time. Nothing outside shows that it has joined again, so the test waits a fixed time.
  for (int looks = 0; looks < 800; ++looks) {
    ASSERT_TRUE(*first->Held());
    ASSERT_FALSE(*second->Held());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  first->Release();
  EXPECT_FALSE(*first->Held());
  AwaitHeld(*second);
}

// Another instance may have had the lease meanwhile. A lane that has nothing to commit would not
// hear of it.
TEST_F(RealLease, AMemberThatLostItAndHasItAgainIsToldOnce) {
  auto lease = Join();
  AwaitHeld(*lease);
  lease->Leave();
  AwaitMembers(0);
  lease->Join();
  AwaitMembers(1);
  EXPECT_FALSE(*lease->Held());
  AwaitHeld(*lease);
}

TEST_F(RealLease, AMemberThatIsDestroyedGivesItUp) {
  {
    auto first = Join();
    AwaitHeld(*first);
  }
  AwaitHeld(*Join());
}

TEST_F(RealLease, AMemberThatLeavesGivesItToAnotherAndGetsItBackOnlyFromThat) {
  auto first = Join();
  AwaitHeld(*first);
  auto second = Join();
  first->Leave();
  EXPECT_FALSE(*first->Held());
  AwaitHeld(*second);
  first->Join();
  AwaitMembers(2);
  for (int looks = 0; looks < 100; ++looks) {
    ASSERT_TRUE(*second->Held());
    ASSERT_FALSE(*first->Held());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  second->Leave();
  AwaitHeld(*first);
}

// librdkafka does not leave the group for a cooperative member that owns nothing. The group would
// then wait for it until the session times out, and give the lease to no one meanwhile.
TEST_F(RealLease, AMemberWithoutItLeavesTheGroupAtRelease) {
  auto holder = Join();
  AwaitHeld(*holder);
  auto standby = Join();
  AwaitMembers(2);
  standby->Release();
  EXPECT_NE(GroupMembers(options_.brokers, LeaseTopic(options_)), 2);
  AwaitMembers(1);
  EXPECT_TRUE(*holder->Held());
}

// librdkafka before 2.3.0 ends the process when a cooperative-sticky member is closed between its
// joining and its first assignment. One broker answers so fast that this seldom happens here.
TEST_F(RealLease, AMemberMayLeaveBeforeItIsAssignedAnything) {
  auto holder = Join();
  AwaitHeld(*holder);
  for (int round = 0; round < 12; ++round) {
    auto passing = Join();
    std::this_thread::sleep_for(std::chrono::milliseconds(round * 17));
    if (round % 2 == 0) passing->Leave();
    ASSERT_TRUE(*holder->Held());
  }
}

TEST_F(RealLease, WithoutABrokerNothingIsHeldAndReleaseReturns) {
  options_.brokers = "127.0.0.1:1";
  auto lease = Join();
  EXPECT_FALSE(*lease->Held());
  lease->Release();
}

}  // namespace
}  // namespace neardup
