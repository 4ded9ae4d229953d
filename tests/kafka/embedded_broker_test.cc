// The ports on the embedded broker: records pass through, and nothing hangs. The tests on a real
// broker (real_*_test.cc) cover isolation, aborts and fencing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/library.h"
#include "kafka/topics.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;

class Embedded : public ::testing::Test {
 protected:
  void SetUp() override {
    auto broker = EmbeddedBroker::New(3);
    ASSERT_OK(broker);
    broker_ = std::move(broker).value();
    options_ = FreshOptions(broker_->bootstrap());
    input_ = {options_.topics[0], 1};
    for (const std::string& topic :
         {input_.topic, input_.topic + ".unique", input_.topic + ".duplicate",
          input_.topic + ".dead-letter", ChangelogTopic(options_)}) {
      ASSERT_OK(broker_->CreateTopic(topic, 2));
    }
  }

  std::unique_ptr<EmbeddedBroker> broker_;
  KafkaOptions options_;
  InputPartition input_;
};

TEST_F(Embedded, RecordsPassFromTheInputToTheOutputs) {
  Write(options_.brokers, input_.topic, 1, {Record("a"), Record("b"), Record("c")});
  auto source = NewKafkaSource(options_, {});
  ASSERT_OK(source);
  const std::vector<InputAssignment> inputs = {{0, input_, 1}};
  ASSERT_OK((*source)->Assign(inputs));
  std::vector<Message> messages;
  for (int polls = 0; messages.size() < 2 && polls < 300; ++polls) {
    ASSERT_OK((*source)->Poll(10, 100, messages));
  }
  ASSERT_EQ(messages.size(), 2U);

  const auto transaction = NewKafkaTransaction(options_, 0, {}, {});
  ASSERT_OK(transaction->Fence());
  ASSERT_OK(transaction->Begin());
  const std::vector<HeaderView> ours = {{"neardup", "seq=1"}};
  for (const Message& message : messages) {
    ASSERT_OK(transaction->Publish({.message = message,
                                    .input = input_,
                                    .verdict = {},
                                    .fingerprint = {},
                                    .seq = 1,
                                    .headers = &ours}));
  }
  ASSERT_OK(transaction->PublishDelta("delta"));
  const std::vector<InputProgress> progress = {{input_, 3, 0}};
  ASSERT_OK(transaction->Commit(progress));
  EXPECT_THAT(ReadValues(options_.brokers, input_.topic + ".unique", 1), ElementsAre("b", "c"));
}

TEST_F(Embedded, TheChangelogIsReadToItsEnd) {
  Write(options_.brokers, ChangelogTopic(options_), 0, {Record("x"), Record("y")});
  auto changelog = NewKafkaChangelog(options_, 0, {});
  ASSERT_OK(changelog);
  ASSERT_OK((*changelog)->Open(0));
  const auto end = (*changelog)->End();
  ASSERT_OK(end);
  std::vector<std::string> seen;
  for (int polls = 0; (*changelog)->next_offset() < *end && polls < 300; ++polls) {
    ASSERT_OK((*changelog)->Poll(100, [&](const ChangelogRecord& record) {
      seen.emplace_back(record.bytes);
      return Result<void>();
    }));
  }
  EXPECT_THAT(seen, ElementsAre("x", "y"));
}

TEST_F(Embedded, ARecordAboveTheLibrarysLimitIsRefused) {
  options_.producer_properties["message.max.bytes"] = "2000";
  options_.producer_properties["batch.size"] = "2000";
  const auto transaction = NewKafkaTransaction(options_, 0, {}, {});
  ASSERT_OK(transaction->Fence());
  ASSERT_OK(transaction->Begin());
  const TestRecord large = Record(std::string(3000, 'x'));
  const Message message = AsMessage(large, {0, 5});
  const std::vector<HeaderView> none;
  const Result<void> published = transaction->Publish({.message = message,
                                                       .input = input_,
                                                       .verdict = {},
                                                       .fingerprint = {},
                                                       .seq = 1,
                                                       .headers = &none});
  ASSERT_FALSE(published.ok());
  EXPECT_EQ(published.error().code, ErrorCode::kAborted);
  ASSERT_OK(transaction->Abort());
  const auto refusals = transaction->TakeRefusals();
  ASSERT_EQ(refusals.size(), 1U);
  EXPECT_EQ(refusals[0].position, (Position{0, 5}));
  EXPECT_EQ(refusals[0].reason, Reason::kTooLarge);
}

TEST(EmbeddedBroker, StartsAndStopsManyTimes) {
  for (int i = 0; i < 3; ++i) ASSERT_OK(EmbeddedBroker::New(2));
}

}  // namespace
}  // namespace neardup
