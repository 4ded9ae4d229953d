// A commit while the consumer group has no coordinator, on a mock cluster whose brokers can be
// stopped.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "kafka/consumer_group.h"
#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/mock_cluster.h"

namespace neardup {
namespace {

constexpr int kOthers = 1;
constexpr int kOfGroup = 2;

class CoordinatorOutage : public ::testing::Test {
 protected:
  CoordinatorOutage() {
    options_ = FreshOptions(cluster_.bootstrap());
    input_ = {options_.topics[0], 0};
    // The mock cluster of librdkafka 2.8 takes offsets only of topics that it has; the mock
    // cluster of 2.0.2 takes all.
    for (const std::string& topic :
         {input_.topic, input_.topic + ".unique", input_.topic + ".duplicate",
          input_.topic + ".dead-letter", ChangelogTopic(options_)}) {
      cluster_.CreateTopic(topic);
      rd_kafka_mock_partition_set_leader(cluster_.get(), topic.c_str(), 0, kOthers);
    }
    const std::string id = options_.app + "-lane-0";
    rd_kafka_mock_coordinator_set(cluster_.get(), "transaction", id.c_str(), kOthers);
    rd_kafka_mock_coordinator_set(cluster_.get(), "group", options_.app.c_str(), kOfGroup);
  }

  Result<void> CommitDuringAnOutage(const KafkaLog& log = {}) {
    auto transaction = NewKafkaTransaction(options_, 0, {}, log);
    NEARDUP_TRY(transaction->Fence());
    const std::vector<InputProgress> progress = {{input_, 1, 0}};
    // The first commit finds the coordinator.
    NEARDUP_TRY(transaction->Begin());
    NEARDUP_TRY(transaction->PublishDelta("delta"));
    NEARDUP_TRY(transaction->Commit(progress));
    rd_kafka_mock_broker_set_down(cluster_.get(), kOfGroup);
    NEARDUP_TRY(transaction->Begin());
    NEARDUP_TRY(transaction->PublishDelta("delta"));
    return transaction->Commit(progress);
  }

  MockCluster cluster_{2};
  KafkaOptions options_;
  InputPartition input_;
};

TEST_F(CoordinatorOutage, ACommitWaitsForTheCoordinatorOfTheGroup) {
  std::thread repair([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3000));
    rd_kafka_mock_broker_set_up(cluster_.get(), kOfGroup);
  });
  const Result<void> committed = CommitDuringAnOutage();
  repair.join();
  EXPECT_TRUE(committed.ok()) << committed.error().text;
}

TEST_F(CoordinatorOutage, ACommitEndsWhenTheCoordinatorOfTheGroupStaysAway) {
  options_.transaction_timeout_ms = 1000;
  const Result<void> committed = CommitDuringAnOutage();
  EXPECT_FALSE(committed.ok());
}

TEST_F(CoordinatorOutage, ACoordinatorThatMovesDoesNotEndAReadingOfOffsets) {
  for (int refusals = 0; refusals < 20; ++refusals) {
    cluster_.Answer(MockCluster::kOffsetFetch, RD_KAFKA_RESP_ERR_NOT_COORDINATOR);
  }
  const std::vector<InputPartition> inputs = {input_};
  const auto offsets = GroupOffsets(options_, options_.app, inputs, {});
  ASSERT_TRUE(offsets.ok()) << offsets.error().text;
  ASSERT_EQ(offsets->size(), 1U);
  EXPECT_EQ(offsets->front().offset, -1);
}

TEST_F(CoordinatorOutage, ACallThatIsAbandonedDoesNotKeepTheLog) {
  options_.transaction_timeout_ms = 1000;
  const auto log_owner = std::make_shared<int>(0);
  EXPECT_FALSE(CommitDuringAnOutage([log_owner](int, std::string_view) {}).ok());
  EXPECT_EQ(log_owner.use_count(), 1);
}

}  // namespace
}  // namespace neardup
