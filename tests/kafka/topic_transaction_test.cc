// Transactions of an operator's command whose requests are not answered, on a mock cluster.
#include "kafka/topic_transaction.h"

#include <gtest/gtest.h>

#include <memory>

#include "kafka/handle.h"

namespace neardup {
namespace {

// Keys of requests in Kafka's protocol.
constexpr int16_t kEndTxn = 26;
constexpr int16_t kTxnOffsetCommit = 28;

class TopicTransactionTest : public ::testing::TestWithParam<int16_t> {
 protected:
  TopicTransactionTest() {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    client_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0));
    cluster_.reset(rd_kafka_mock_cluster_new(client_.get(), 1));
    options_.brokers = rd_kafka_mock_cluster_bootstraps(cluster_.get());
    options_.app = "app";
    options_.topics = {"news"};
    options_.properties["log.connection.close"] = "false";
    rd_kafka_mock_topic_create(cluster_.get(), "news", 1, 1);
  }
  static Result<void> CommitOne(TopicTransaction& transaction) {
    const InputPartition input{"news", 0};
    NEARDUP_TRY(transaction.Begin());
    Message message;
    message.value = "a";
    NEARDUP_TRY(transaction.Write(input, message, 0, 0));
    return transaction.Commit("group", {{.partition = input, .next = {.offset = 1, .note = ""}}});
  }

  std::unique_ptr<rd_kafka_t, HandleDeleter<rd_kafka_destroy>> client_;
  MockClusterHandle cluster_;
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
  const auto cut = RD_KAFKA_RESP_ERR__TRANSPORT;
  rd_kafka_mock_push_request_errors_array(cluster_.get(), GetParam(), 1, &cut);
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
                         ::testing::Values(kEndTxn, kTxnOffsetCommit));

}  // namespace
}  // namespace neardup
