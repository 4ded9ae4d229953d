// Transactions of an operator's command whose requests are not answered, on a mock cluster.
#include <gtest/gtest.h>

#include "kafka/mock_cluster.h"
#include "kafka/topic_producer.h"

namespace neardup {
namespace {

class TopicTransactionTest : public ::testing::TestWithParam<int16_t> {
 protected:
  TopicTransactionTest() {
    options_.brokers = cluster_.bootstrap();
    options_.app = "app";
    options_.topics = {"news"};
    options_.properties["log.connection.close"] = "false";
    cluster_.CreateTopic("news");
  }
  static Result<void> CommitOne(TopicTransaction& transaction) {
    const InputPartition input{"news", 0};
    NEARDUP_TRY(transaction.Begin());
    Message message;
    message.value = "a";
    NEARDUP_TRY(transaction.Write(input, message, 0, 0));
    return transaction.Commit("group", {{.partition = input, .next = {.offset = 1, .note = ""}}});
  }

  MockCluster cluster_{1};
  KafkaOptions options_;
};

TEST_P(TopicTransactionTest, IsSpentWhenARequestOfACommitMayArriveLate) {
  auto made = TopicTransaction::New(options_, "id", {});
  ASSERT_TRUE(made.ok()) << made.error().text;
  TopicTransaction& transaction = **made;
  for (int i = 0; i < 2; ++i) {
    const Result<void> committed = CommitOne(transaction);
    ASSERT_TRUE(committed.ok()) << committed.error().text;
    EXPECT_FALSE(transaction.is_spent());
  }
  cluster_.Answer(GetParam(), MockCluster::kCut);
  const Result<void> committed = CommitOne(transaction);
  ASSERT_TRUE(committed.ok()) << committed.error().text;
  EXPECT_TRUE(transaction.is_spent());
  const Result<void> begun = transaction.Begin();
  ASSERT_FALSE(begun.ok());
  EXPECT_EQ(begun.error().code, ErrorCode::kUnavailable);
  made = TopicTransaction::New(options_, "id", {});
  ASSERT_TRUE(made.ok()) << made.error().text;
  EXPECT_TRUE(CommitOne(**made).ok());
}

INSTANTIATE_TEST_SUITE_P(Requests, TopicTransactionTest,
                         ::testing::Values(MockCluster::kEndTxn, MockCluster::kTxnOffsetCommit));

}  // namespace
}  // namespace neardup
