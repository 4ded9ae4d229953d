#include <gmock/gmock.h>

#include <chrono>

#include "kafka/kafka_cluster.h"
#include "kafka/topic_producer.h"

namespace neardup {
namespace {

class RealWriter : public testing::Test {
 protected:
  KafkaOptions options_ = FreshOptions(TestBrokers());
  const std::string topic_ = options_.topics[0];
};

TEST_F(RealWriter, EveryRecordArrivesUnchangedAndInOrderThroughAQueueOfTen) {
  CreateTopic(TestBrokers(), topic_, 2);
  options_.inflight_records_max = 10;
  auto writer = NewKafkaWriter(options_, {});
  ASSERT_OK(writer);
  std::vector<TestRecord> records;
  for (int i = 0; i < 500; ++i) records.push_back(Record("value " + std::to_string(i)));
  records[1] = {.key = "", .value = std::nullopt, .headers = {{"a", "\xff"}, {"a", std::nullopt}}};
  for (const TestRecord& record : records) {
    ASSERT_OK((*writer)->Write(topic_, 1, AsMessage(record, {})));
  }
  ASSERT_OK((*writer)->Flush());
  std::vector<TestRecord> found = Read(TestBrokers(), topic_, 1);
  for (TestRecord& record : found) record.offset = -1;
  EXPECT_EQ(found, records);
  EXPECT_THAT(Read(TestBrokers(), topic_, 0), testing::IsEmpty());
}

TEST_F(RealWriter, ARecordWithoutATimestampGetsTheTimeOfWriting) {
  CreateTopic(TestBrokers(), topic_, 1);
  auto writer = NewKafkaWriter(options_, {});
  ASSERT_OK(writer);
  TestRecord record = Record("value");
  record.timestamp_ms = -1;
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  ASSERT_OK((*writer)->Write(topic_, 0, AsMessage(record, {})));
  ASSERT_OK((*writer)->Flush());
  const std::vector<TestRecord> found = Read(TestBrokers(), topic_, 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GE(found[0].timestamp_ms,
            std::chrono::duration_cast<std::chrono::milliseconds>(before).count());
}

TEST_F(RealWriter, AFailedDeliveryNamesTopicAndPartition) {
  CreateTopic(TestBrokers(), topic_, 1, {{"max.message.bytes", "1000"}});
  auto writer = NewKafkaWriter(options_, {});
  ASSERT_OK(writer);
  const TestRecord record = Record(std::string(5000, 'x'));
  ASSERT_OK((*writer)->Write(topic_, 0, AsMessage(record, {})));
  const Result<void> flushed = (*writer)->Flush();
  ASSERT_FALSE(flushed.ok());
  EXPECT_THAT(flushed.error().text, testing::HasSubstr(topic_ + "/0"));
}

}  // namespace
}  // namespace neardup
