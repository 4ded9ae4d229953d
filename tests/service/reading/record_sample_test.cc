// Tests of samples from topics of a real broker.
#include "reading/record_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files/local_ports.h"
#include "kafka/kafka_cluster.h"
#include "run/service.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class TopicSampleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_ = FreshOptions(TestBrokers());
    topic_ = options_.topics[0];
    CreateTopic(options_.brokers, topic_, 2);
  }

  /// Records "NAME0", "NAME1", ... with ascending timestamps.
  static std::vector<TestRecord> Records(const std::string& name, int count) {
    std::vector<TestRecord> records;
    for (int i = 0; i < count; ++i) {
      records.push_back(Record(name + std::to_string(i)));
      records.back().timestamp_ms = SystemClock().WallMs() - 60'000 + i;
    }
    return records;
  }

  std::vector<std::string> Sampled(size_t records_max, SampleEnd end = SampleEnd::kOldest) {
    const auto sample = ReadTopicSample(options_, records_max, end, LogKafka);
    EXPECT_TRUE(sample.ok()) << sample.error().text;
    std::vector<std::string> values;
    if (!sample.ok()) return values;
    for (const Message& message : *sample) values.emplace_back(message.value.value_or("null"));
    return values;
  }

  KafkaOptions options_;
  std::string topic_;
};

TEST_F(TopicSampleTest, HoldsTheFirstCommittedRecords) {
  WriteInTransaction(options_.brokers, topic_, 0, Records("aborted", 3), false);
  WriteInTransaction(options_.brokers, topic_, 0, Records("a", 4), true);
  AwaitNothingOpen(options_.brokers, topic_, 0);
  EXPECT_THAT(Sampled(3), ElementsAre("a0", "a1", "a2"));
  EXPECT_THAT(Sampled(100), ElementsAre("a0", "a1", "a2", "a3"));
}

TEST_F(TopicSampleTest, HoldsTheNewestOfEachPartition) {
  Write(options_.brokers, topic_, 0, Records("a", 50));
  Write(options_.brokers, topic_, 1, Records("b", 3));
  EXPECT_THAT(Sampled(4, SampleEnd::kNewest), UnorderedElementsAre("a48", "a49", "b1", "b2"));
  EXPECT_EQ(Sampled(1000, SampleEnd::kNewest).size(), 53U);
}

TEST_F(TopicSampleTest, NamesATopicWithoutRecords) {
  const auto empty = ReadTopicSample(options_, 10, SampleEnd::kOldest, LogKafka);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(empty.error().text,
              HasSubstr(topic_ + ": found no committed record, expected at least one"));
  options_.topics = {FreshName("absent")};
  const auto absent = ReadTopicSample(options_, 10, SampleEnd::kOldest, LogKafka);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(absent.error().text, HasSubstr(options_.topics[0]));
}

}  // namespace
}  // namespace neardup
