// Requests that a broker does not answer, because their connection breaks: such a request may still
// reach the broker, and must not meet another transaction of the same producer. On a mock cluster,
// which breaks the connection in place of an answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "kafka/handle.h"
#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

// Keys of requests in Kafka's protocol.
constexpr int16_t kProduce = 0;
constexpr int16_t kEndTxn = 26;
constexpr int16_t kTxnOffsetCommit = 28;

constexpr auto kCut = RD_KAFKA_RESP_ERR__TRANSPORT;

class LateRequest : public ::testing::Test {
 protected:
  LateRequest() {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    client_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0));
    cluster_.reset(rd_kafka_mock_cluster_new(client_.get(), 1));
    options_ = FreshOptions(rd_kafka_mock_cluster_bootstraps(cluster_.get()));
    // No event tells of a connection that is lost.
    options_.properties["log.connection.close"] = "false";
    input_ = {options_.topics[0], 0};
    for (const std::string& topic :
         {input_.topic, input_.topic + ".unique", input_.topic + ".duplicate",
          input_.topic + ".dead-letter", ChangelogTopic(options_)}) {
      rd_kafka_mock_topic_create(cluster_.get(), topic.c_str(), 1, 1);
    }
    transaction_ = NewKafkaTransaction(options_, 0, {}, {});
  }

  /// The answer to the next request of this kind; kCut: none.
  void Answer(int16_t api_key, rd_kafka_resp_err_t error) {
    rd_kafka_mock_push_request_errors_array(cluster_.get(), api_key, 1, &error);
  }
  Result<void> Publish(const std::string& value) {
    const TestRecord record = Record(value);
    Verdict verdict;
    return transaction_->Publish(
        {AsMessage(record, {0, 0}), input_, verdict, 1, nullptr, {}, false, false});
  }
  Result<void> Commit() {
    NEARDUP_TRY(transaction_->PublishDelta("delta"));
    const std::vector<InputProgress> progress = {{input_, 1, 0}};
    return transaction_->Commit(progress, NothingMeanwhile);
  }
  Result<void> CommitOne() {
    NEARDUP_TRY(transaction_->Begin());
    NEARDUP_TRY(Publish("a"));
    return Commit();
  }
  /// Nothing but a fence is legal.
  void ExpectFenceNeeded(const std::string& kind) {
    EXPECT_TRUE(transaction_->must_fence());
    const Result<void> begun = transaction_->Begin();
    ASSERT_FALSE(begun.ok());
    EXPECT_EQ(begun.error().code, ErrorCode::kUnavailable);
    EXPECT_TRUE(begun.error().retriable);
    EXPECT_THAT(begun.error().text, HasSubstr(kind));
    ASSERT_OK(transaction_->Fence());
    EXPECT_FALSE(transaction_->must_fence());
    ASSERT_OK(CommitOne());
    EXPECT_FALSE(transaction_->must_fence());
  }

  std::unique_ptr<rd_kafka_t, HandleDeleter<rd_kafka_destroy>> client_;
  MockClusterHandle cluster_;
  KafkaOptions options_;
  InputPartition input_;
  std::unique_ptr<Transaction> transaction_;
};

TEST_F(LateRequest, TransactionsWhoseRequestsAreAllAnsweredNeedNoFence) {
  ASSERT_OK(transaction_->Fence());
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(CommitOne());
    EXPECT_FALSE(transaction_->must_fence());
    ASSERT_OK(transaction_->Begin());
    ASSERT_OK(Publish("gone"));
    ASSERT_OK(transaction_->Abort());
    EXPECT_FALSE(transaction_->must_fence());
  }
}

TEST_F(LateRequest, ACommitThatIsSentTwiceNeedsAFence) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  Answer(kEndTxn, kCut);
  ASSERT_OK(CommitOne());
  ExpectFenceNeeded("EndTxn");
}

TEST_F(LateRequest, AnAbortThatIsSentTwiceNeedsAFence) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  ASSERT_OK(transaction_->Begin());
  ASSERT_OK(Publish("gone"));
  ASSERT_OK(transaction_->PublishDelta("gone"));
  Answer(kTxnOffsetCommit, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION);
  const std::vector<InputProgress> progress = {{input_, 1, 0}};
  const Result<void> committed = transaction_->Commit(progress, NothingMeanwhile);
  ASSERT_FALSE(committed.ok());
  ASSERT_EQ(committed.error().code, ErrorCode::kAborted) << committed.error().text;
  Answer(kEndTxn, kCut);
  ASSERT_OK(transaction_->Abort());
  ExpectFenceNeeded("EndTxn");
}

TEST_F(LateRequest, ACommitThatTimesOutAndIsSentAgainNeedsAFence) {
  options_.properties["socket.timeout.ms"] = "1000";
  transaction_ = NewKafkaTransaction(options_, 0, {}, {});
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  rd_kafka_mock_broker_push_request_error_rtts(cluster_.get(), 1, kEndTxn, 1,
                                               RD_KAFKA_RESP_ERR_NO_ERROR, 5000);
  ASSERT_OK(CommitOne());
  ExpectFenceNeeded("EndTxn");
}

TEST_F(LateRequest, ACommitThatTheBrokerPutsOffNeedsNoFence) {
  ASSERT_OK(transaction_->Fence());
  Answer(kEndTxn, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS);
  ASSERT_OK(CommitOne());
  EXPECT_FALSE(transaction_->must_fence());
  ASSERT_OK(CommitOne());
}

TEST_F(LateRequest, OffsetsThatAreSentTwiceNeedAFence) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  Answer(kTxnOffsetCommit, kCut);
  ASSERT_OK(CommitOne());
  ExpectFenceNeeded("TxnOffsetCommit");
}

TEST_F(LateRequest, ABatchThatIsSentTwiceNeedsNoFenceAfterACommit) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  Answer(kProduce, kCut);
  ASSERT_OK(CommitOne());
  EXPECT_FALSE(transaction_->must_fence());
  ASSERT_OK(CommitOne());
}

TEST_F(LateRequest, ABatchThatIsSentTwiceNeedsAFenceAfterAnAbort) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  ASSERT_OK(transaction_->Begin());
  Answer(kProduce, kCut);
  Answer(kTxnOffsetCommit, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION);
  ASSERT_OK(Publish("gone"));
  const Result<void> committed = Commit();
  ASSERT_FALSE(committed.ok());
  ASSERT_EQ(committed.error().code, ErrorCode::kAborted) << committed.error().text;
  ASSERT_OK(transaction_->Abort());
  ExpectFenceNeeded("Produce");
}

TEST_F(LateRequest, WhatWasLateInAnEarlierTransactionIsForgottenAfterTheNextOne) {
  ASSERT_OK(transaction_->Fence());
  Answer(kProduce, kCut);
  ASSERT_OK(CommitOne());
  ASSERT_OK(transaction_->Begin());
  ASSERT_OK(Publish("gone"));
  ASSERT_OK(transaction_->Abort());
  EXPECT_FALSE(transaction_->must_fence());
}

}  // namespace
}  // namespace neardup
