// Requests that a broker does not answer, because their connection breaks: such a request may still
// reach the broker, and must not act on another transaction of the same producer. On a mock
// cluster, which breaks the connection instead of answering.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/mock_cluster.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;

constexpr auto kCut = MockCluster::kCut;
constexpr auto kProduce = MockCluster::kProduce;
constexpr auto kEndTxn = MockCluster::kEndTxn;
constexpr auto kTxnOffsetCommit = MockCluster::kTxnOffsetCommit;

class LateRequest : public ::testing::Test {
 protected:
  LateRequest() {
    options_ = FreshOptions(cluster_.bootstrap());
    // No event reports a lost connection.
    options_.properties["log.connection.close"] = "false";
    input_ = {options_.topics[0], 0};
    for (const std::string& topic :
         {input_.topic, input_.topic + ".unique", input_.topic + ".duplicate",
          input_.topic + ".dead-letter", ChangelogTopic(options_)}) {
      cluster_.CreateTopic(topic);
    }
    transaction_ = NewKafkaTransaction(options_, 0, {}, {});
  }

  Result<void> Publish(const std::string& value) {
    const TestRecord record = Record(value);
    const Message message = AsMessage(record, {0, 0});
    const std::vector<HeaderView> none;
    return transaction_->Publish({.message = message,
                                  .input = input_,
                                  .verdict = {},
                                  .fingerprint = {},
                                  .seq = 1,
                                  .headers = &none});
  }
  Result<void> Commit() {
    NEARDUP_TRY(transaction_->PublishDelta("delta"));
    const std::vector<InputProgress> progress = {{input_, 1, 0}};
    return transaction_->Commit(progress);
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

  MockCluster cluster_{1};
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
  cluster_.Answer(kEndTxn, kCut);
  ASSERT_OK(CommitOne());
  ExpectFenceNeeded("EndTxn");
}

TEST_F(LateRequest, AnAbortThatIsSentTwiceNeedsAFence) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  ASSERT_OK(transaction_->Begin());
  ASSERT_OK(Publish("gone"));
  ASSERT_OK(transaction_->PublishDelta("gone"));
  cluster_.Answer(kTxnOffsetCommit, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION);
  const std::vector<InputProgress> progress = {{input_, 1, 0}};
  const Result<void> committed = transaction_->Commit(progress);
  ASSERT_FALSE(committed.ok());
  ASSERT_EQ(committed.error().code, ErrorCode::kAborted) << committed.error().text;
  cluster_.Answer(kEndTxn, kCut);
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
  cluster_.Answer(kEndTxn, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS);
  ASSERT_OK(CommitOne());
  EXPECT_FALSE(transaction_->must_fence());
  ASSERT_OK(CommitOne());
}

TEST_F(LateRequest, OffsetsThatAreSentTwiceNeedAFence) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  cluster_.Answer(kTxnOffsetCommit, kCut);
  ASSERT_OK(CommitOne());
  ExpectFenceNeeded("TxnOffsetCommit");
}

// The library tries to add the offsets of a deleted topic for as long as the transaction may last,
// and the lane does not wait for it. With Kafka 3.9.2, such a request of the former owner can make
// the broker forget the offsets of the transaction that the new owner is just committing.
TEST_F(LateRequest, AnAbandonedProducerRepeatsNothing) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  const std::vector<rd_kafka_resp_err_t> refusals(1000, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  rd_kafka_mock_push_request_errors_array(cluster_.get(), kTxnOffsetCommit, refusals.size(),
                                          refusals.data());
  rd_kafka_mock_topic_set_error(cluster_.get(), input_.topic.c_str(),
                                RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const Result<void> committed = CommitOne();
  ASSERT_FALSE(committed.ok());
  ASSERT_THAT(committed.error().text, HasSubstr("does not exist any more"));
  transaction_->Abandon(/*abort=*/false);
  // A request that was sent before this call is refused as well.
  std::this_thread::sleep_for(std::chrono::seconds(1));

  rd_kafka_mock_topic_set_error(cluster_.get(), input_.topic.c_str(), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_mock_clear_request_errors(cluster_.get(), kTxnOffsetCommit);
  cluster_.Answer(kTxnOffsetCommit, kCut);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  // The broken connection is left for the first request after the pause, by the new owner.
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  ExpectFenceNeeded("TxnOffsetCommit");
}

TEST_F(LateRequest, ABatchThatIsSentTwiceNeedsNoFenceAfterACommit) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  cluster_.Answer(kProduce, kCut);
  ASSERT_OK(CommitOne());
  EXPECT_FALSE(transaction_->must_fence());
  ASSERT_OK(CommitOne());
}

TEST_F(LateRequest, ABatchThatIsSentTwiceNeedsAFenceAfterAnAbort) {
  ASSERT_OK(transaction_->Fence());
  ASSERT_OK(CommitOne());
  ASSERT_OK(transaction_->Begin());
  cluster_.Answer(kProduce, kCut);
  cluster_.Answer(kTxnOffsetCommit, RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION);
  ASSERT_OK(Publish("gone"));
  const Result<void> committed = Commit();
  ASSERT_FALSE(committed.ok());
  ASSERT_EQ(committed.error().code, ErrorCode::kAborted) << committed.error().text;
  ASSERT_OK(transaction_->Abort());
  ExpectFenceNeeded("Produce");
}

TEST_F(LateRequest, WhatWasLateInAnEarlierTransactionIsForgottenAfterTheNextOne) {
  ASSERT_OK(transaction_->Fence());
  cluster_.Answer(kProduce, kCut);
  ASSERT_OK(CommitOne());
  ASSERT_OK(transaction_->Begin());
  ASSERT_OK(Publish("gone"));
  ASSERT_OK(transaction_->Abort());
  EXPECT_FALSE(transaction_->must_fence());
}

}  // namespace
}  // namespace neardup
