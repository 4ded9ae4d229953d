// Listing, creating, checking and growing topics on a real broker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/kafka_cluster.h"
#include "kafka/topic_admin.h"
#include "kafka/topics.h"

namespace neardup {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

class RealTopics : public ::testing::Test {
 protected:
  void SetUp() override {
    options_ = FreshOptions(TestBrokers());
    topic_ = options_.topics[0];
  }
  TopicAdmin Admin() {
    return TopicAdmin(Client::New(options_, ClientRole::kWatermark, {}).value(), options_);
  }
  std::vector<InputPartition> Inputs(int32_t partitions) const {
    std::vector<InputPartition> inputs;
    for (int32_t partition = 0; partition < partitions; ++partition) {
      inputs.push_back({topic_, partition});
    }
    return inputs;
  }
  Result<TopicReport> Ensure(int32_t partitions) {
    return EnsureTopics(options_, Inputs(partitions), {});
  }

  KafkaOptions options_;
  std::string topic_;
};

TEST_F(RealTopics, AreListedSortedOverAllInputs) {
  options_.topics = {topic_ + "b", topic_ + "a"};
  CreateTopic(options_.brokers, topic_ + "a", 2);
  CreateTopic(options_.brokers, topic_ + "b", 1);
  const auto partitions = ListPartitions(options_, {});
  ASSERT_OK(partitions);
  const std::vector<InputPartition> expected = {
      {topic_ + "a", 0}, {topic_ + "a", 1}, {topic_ + "b", 0}};
  EXPECT_EQ(*partitions, expected);
}

// So long that the time-out of the test would end a wait for even a share of it.
TEST_F(RealTopics, AMissingInputIsNotWaitedForAsLongAsAnAnswer) {
  options_.answer_timeout_ms = 3'600'000;
  options_.topics = {FreshName("no-such-topic")};
  const Result<FoundInputs> found = ListInputs(options_, {});
  ASSERT_OK(found);
  EXPECT_THAT(found->missing_topics, ::testing::ElementsAre(options_.topics.back()));
}

TEST_F(RealTopics, MissingTopicsAreCreatedToFitTheInput) {
  CreateTopic(options_.brokers, topic_, 3, {{"max.message.bytes", "2000000"}});
  const auto report = Ensure(3);
  ASSERT_OK(report);
  EXPECT_THAT(report->created, SizeIs(5));
  EXPECT_THAT(report->warnings, IsEmpty());
  EXPECT_THAT(report->max_message_bytes, Contains(Pair(topic_ + ".unique", 2'065'536)));
  TopicAdmin admin = Admin();
  for (const char* suffix : {".unique", ".duplicate", ".dead-letter"}) {
    EXPECT_EQ(*admin.Partitions(topic_ + suffix), 3);
    EXPECT_THAT(*admin.Settings(topic_ + suffix),
                AllOf(Contains(Pair("message.timestamp.after.max.ms", "9223372036854775807")),
                      Contains(Pair("message.timestamp.before.max.ms", "9223372036854775807"))));
  }
  EXPECT_EQ(*admin.Partitions(LeaseTopic(options_)), 1);
  EXPECT_EQ(*admin.Partitions(ChangelogTopic(options_)), 1);
  const auto changelog = admin.Settings(ChangelogTopic(options_));
  ASSERT_OK(changelog);
  EXPECT_THAT(*changelog, Contains(Pair("cleanup.policy", "delete")));
  EXPECT_THAT(*changelog, Contains(Pair("retention.ms", "-1")));
  EXPECT_THAT(*changelog, Contains(Pair("message.timestamp.type", "LogAppendTime")));
}

TEST_F(RealTopics, ASecondCallChangesNothing) {
  CreateTopic(options_.brokers, topic_, 2);
  ASSERT_OK(Ensure(2));
  const auto again = Ensure(2);
  ASSERT_OK(again);
  EXPECT_THAT(again->created, IsEmpty());
  EXPECT_THAT(again->grown, IsEmpty());
}

TEST_F(RealTopics, OutputsGrowWithTheInput) {
  CreateTopic(options_.brokers, topic_, 2);
  ASSERT_OK(Ensure(2));
  ASSERT_OK(Admin().Grow(topic_, 4));
  const auto report = Ensure(4);
  ASSERT_OK(report);
  EXPECT_THAT(report->grown, SizeIs(3));
  EXPECT_EQ(*Admin().Partitions(topic_ + ".unique"), 4);
}

TEST_F(RealTopics, WithCreateTopicsOffAMissingTopicIsNamed) {
  CreateTopic(options_.brokers, topic_, 2);
  options_.create_topics = false;
  const auto report = Ensure(2);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(report.error().text, HasSubstr(topic_ + ".unique"));
}

TEST_F(RealTopics, WithCreateTopicsOffASmallerOutputIsAConfigurationError) {
  CreateTopic(options_.brokers, topic_, 2);
  CreateTopic(options_.brokers, topic_ + ".unique", 1);
  options_.create_topics = false;
  const auto report = Ensure(2);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kConfig);
  EXPECT_THAT(report.error().text, HasSubstr("--partitions 2"));
}

TEST_F(RealTopics, ALaneThatHasBegunGoesOnWithoutThePartitionsThatItsOutputsLack) {
  CreateTopic(options_.brokers, topic_, 2);
  ASSERT_OK(Ensure(2));
  ASSERT_OK(Admin().Grow(topic_, 4));
  options_.create_topics = false;
  const std::vector<InputPartition> inputs = Inputs(4);
  EXPECT_EQ(EnsureTopics(options_, inputs, {}).error().code, ErrorCode::kConfig);
  const Result<TopicReport> report = EnsureTopics(options_, inputs, {}, LaneAge::kBegun);
  ASSERT_OK(report);
  EXPECT_EQ(report->without_outputs, std::vector(inputs.begin() + 2, inputs.end()));
  ASSERT_EQ(report->warnings.size(), 3U);
  EXPECT_THAT(report->warnings[0],
              HasSubstr("--alter --topic " + topic_ + ".unique --partitions 4"));
}

TEST_F(RealTopics, AChangelogWithRetentionIsRefusedWithTheCommandThatCorrectsIt) {
  CreateTopic(options_.brokers, topic_, 1);
  CreateTopic(options_.brokers, ChangelogTopic(options_), 1, {{"retention.ms", "60000"}});
  const auto report = Ensure(1);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kConfig);
  EXPECT_TRUE(report.error().fatal);
  EXPECT_THAT(report.error().text, HasSubstr("kafka-configs.sh"));
  EXPECT_THAT(report.error().text, HasSubstr("retention.ms=-1"));
}

TEST_F(RealTopics, ACompactedChangelogIsRefused) {
  CreateTopic(options_.brokers, topic_, 1);
  CreateTopic(options_.brokers, ChangelogTopic(options_), 1,
              {{"retention.ms", "-1"}, {"cleanup.policy", "compact"}});
  const auto report = Ensure(1);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kConfig);
  EXPECT_THAT(report.error().text, HasSubstr("cleanup.policy=compact"));
}

}  // namespace
}  // namespace neardup
