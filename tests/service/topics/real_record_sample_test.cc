// Tests of samples from topics of a real broker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kafka/kafka_cluster.h"
#include "service/run/service.h"
#include "service/topics/record_sample.h"
#include "stream/files/local_ports.h"

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

  std::vector<std::string> Sampled(size_t records_max,
                                   LearnedRecords part = LearnedRecords::kEarliest) {
    const auto sample = ReadTopicSample(options_, records_max, part, LogKafka);
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
  EXPECT_THAT(Sampled(4, LearnedRecords::kLatest), UnorderedElementsAre("a48", "a49", "b1", "b2"));
  EXPECT_EQ(Sampled(1000, LearnedRecords::kLatest).size(), 53U);
}

TEST_F(TopicSampleTest, IsSpreadOverTheWholeLengthOfAllPartitions) {
  Write(options_.brokers, topic_, 0, Records("a", 4000));
  Write(options_.brokers, topic_, 1, Records("b", 400));
  const std::vector<std::string> spread = Sampled(400, LearnedRecords::kSpread);
  EXPECT_EQ(spread.size(), 400U);
  std::map<char, std::set<int>> eighths;
  for (const std::string& value : spread) {
    const int number = std::stoi(value.substr(1));
    eighths[value[0]].insert(number / (value[0] == 'a' ? 500 : 50));
  }
  EXPECT_EQ(eighths['a'].size(), 8U);
  EXPECT_EQ(std::set<std::string>(spread.begin(), spread.end()).size(), spread.size());
  EXPECT_EQ(Sampled(5000, LearnedRecords::kSpread).size(), 4400U) << "all records if they fit";
}

TEST_F(TopicSampleTest, NamesATopicWithoutRecords) {
  const auto empty = ReadTopicSample(options_, 10, LearnedRecords::kEarliest, LogKafka);
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(empty.error().text,
              HasSubstr(topic_ + ": found no committed record, expected at least one"));
  options_.topics = {FreshName("absent")};
  const auto absent = ReadTopicSample(options_, 10, LearnedRecords::kEarliest, LogKafka);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(absent.error().text, HasSubstr(options_.topics[0]));
}

}  // namespace
}  // namespace neardup
