// The audit of topics on a real broker. A lane runs over inputs that contain aborted records too;
// then each test makes one change to the topics.
#include "app/topic_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/commands.h"
#include "app/exit_code.h"
#include "files/local_ports.h"
#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/topics.h"
#include "stream/lane.h"

namespace neardup {
namespace {

using testing::HasSubstr;

constexpr int kRecordsPerPartition = 200;

/// Every third text repeats the one before it; one record in 50 is not JSON.
std::string ValueOf(int partition, int i) {
  if (i % 50 == 7) return "no JSON";
  const int topic = i % 3 == 2 ? i - 1 : i;
  std::string text;
  for (int word = 0; word < 30; ++word) {
    text.append(std::to_string(partition * 100'000 + topic * 100 + word)).append("x ");
  }
  return "{\"text\":\"" + text + "\"}";
}

/// Retention would soon delete records with an old timestamp.
TestRecord RecordNow(const std::string& value) {
  TestRecord record = Record(value);
  record.timestamp_ms = SystemClock().WallMs();
  return record;
}

class TopicAuditTest : public ::testing::Test {
 protected:
  void SetUp() override {
    settings_.kafka = FreshOptions(TestBrokers());
    settings_.lane.filter.record.fields = {{"text", 1.0}};
    topic_ = settings_.kafka.topics[0];
    CreateTopic(settings_.kafka.brokers, topic_, 2);
    const std::vector<InputPartition> inputs = {{topic_, 0}, {topic_, 1}};
    ASSERT_OK(EnsureTopics(settings_.kafka, inputs, 1, {}));
    WriteInputs();
    RunLane(kRecordsPerPartition * 2 + 1);
  }

  void WriteInputs() {
    for (int partition = 0; partition < 2; ++partition) {
      std::vector<TestRecord> records;
      for (int i = 0; i < kRecordsPerPartition; ++i) {
        records.push_back(RecordNow(ValueOf(partition, i)));
        records.back().key = "key";
        records.back().headers = {{"trace", "1"}, {"null", std::nullopt}};
      }
      Write(settings_.kafka.brokers, topic_, partition, records);
    }
    WriteInTransaction(settings_.kafka.brokers, topic_, 0, {RecordNow("{}")}, false);
    WriteInTransaction(settings_.kafka.brokers, topic_, 0, {RecordNow(ValueOf(0, 1000))}, true);
  }

  void RunLane(uint64_t records) {
    const auto source = NewKafkaSource(settings_.kafka, {});
    ASSERT_OK(source);
    const auto changelog = NewKafkaChangelog(settings_.kafka, 0, {});
    ASSERT_OK(changelog);
    const auto transaction = NewKafkaTransaction(settings_.kafka, 0, {}, {});
    OwnLease lease;
    SystemClock clock;
    PartialProbe probe;
    const auto lane =
        Lane::New(settings_.lane, {**source, **changelog, *transaction, lease, clock, probe});
    ASSERT_OK(lane);
    while ((*lane)->state().seq_committed() < records) ASSERT_OK((*lane)->Step());
    ASSERT_OK((*lane)->Drain());
  }

  AuditReport Audited() {
    const auto audit = AuditTopics(settings_, {});
    EXPECT_TRUE(audit.ok()) << audit.error().text;
    return audit.ok() ? audit->report : AuditReport();
  }

  Settings settings_;
  std::string topic_;
};

TEST_F(TopicAuditTest, TheOutputsOfALaneHoldEveryCheck) {
  const auto audit = AuditTopics(settings_, {});
  ASSERT_OK(audit);
  const AuditReport& report = audit->report;
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_EQ(report.inputs, 401u);
  EXPECT_GT(report.unique, 200u);
  EXPECT_GT(report.duplicates, 100u);
  EXPECT_EQ(report.dead_letters, 8u);
  EXPECT_THAT(audit->warnings, testing::IsEmpty());
  ASSERT_EQ(audit->ranges.size(), 2u);
  EXPECT_EQ(audit->ranges[1].end, kRecordsPerPartition);
}

TEST_F(TopicAuditTest, AnOutputWithoutAnInputIsFound) {
  Write(settings_.kafka.brokers, topic_ + ".unique", 1, {RecordNow("{}")});
  const AuditReport report = Audited();
  EXPECT_EQ(report[AuditCheck::kHeader].violations, 1u);
  EXPECT_THAT(report[AuditCheck::kHeader].first.at(0).where, HasSubstr(topic_ + ".unique/1/"));
}

TEST_F(TopicAuditTest, AnOutputWrittenTwiceIsFound) {
  const auto outputs = Read(settings_.kafka.brokers, topic_ + ".duplicate", 0);
  Write(settings_.kafka.brokers, topic_ + ".duplicate", 0, {outputs.at(3)});
  EXPECT_EQ(Audited()[AuditCheck::kCoverage].violations, 1u);
}

TEST_F(TopicAuditTest, RecordsOfAnAbortedTransactionAreNotAudited) {
  const auto outputs = Read(settings_.kafka.brokers, topic_ + ".duplicate", 0);
  WriteInTransaction(settings_.kafka.brokers, topic_ + ".duplicate", 0, outputs, false);
  const AuditReport report = Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
}

TEST_F(TopicAuditTest, UndecidedRecordsCountAsLagNotAsViolations) {
  Write(settings_.kafka.brokers, topic_, 1, {RecordNow("{}"), RecordNow("{}")});
  const auto audit = AuditTopics(settings_, {});
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_EQ(audit->ranges.at(1).lag_records, 2);
}

TEST_F(TopicAuditTest, ARunningLaneHoldsEveryCheckAtAnyMoment) {
  settings_.lane.transaction_interval_ms = 5;
  settings_.lane.batch_records_max = 10;
  for (int round = 0; round < 5; ++round) WriteInputs();
  std::atomic<bool> done = false;
  std::thread lane([&] {
    RunLane((kRecordsPerPartition * 2 + 1) * 6);
    done = true;
  });
  uint64_t inputs = 0;
  while (!done) {
    const AuditReport report = Audited();
    EXPECT_TRUE(report.ok()) << ReportText(report);
    EXPECT_GE(report.inputs, inputs);
    inputs = report.inputs;
  }
  lane.join();
  EXPECT_EQ(Audited().inputs, (kRecordsPerPartition * 2u + 1) * 6);
}

TEST_F(TopicAuditTest, AMissingOutputTopicIsNamed) {
  settings_.kafka.unique_topic = "{topic}.elsewhere";
  const auto audit = AuditTopics(settings_, {});
  ASSERT_FALSE(audit.ok());
  EXPECT_EQ(audit.error().code, ErrorCode::kNotFound) << audit.error().text;
  EXPECT_THAT(audit.error().text, HasSubstr(topic_ + ".elsewhere"));
}

class TopicAuditWithoutHeaders : public TopicAuditTest {
 protected:
  void SetUp() override {
    settings_.lane.headers = HeaderStyle::kNone;
    TopicAuditTest::SetUp();
  }
};

TEST_F(TopicAuditWithoutHeaders, ComparesWholeRecordsAndSaysThatTheRestIsNotChecked) {
  Write(settings_.kafka.brokers, topic_, 1, {RecordNow("{}")});  // not yet decided
  const auto audit = AuditTopics(settings_, {});
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_TRUE(audit->partial);
  EXPECT_EQ(audit->report.inputs, 401u);
  EXPECT_EQ(audit->report[AuditCheck::kPayload].looked_at, 401u);
  EXPECT_EQ(audit->report.dead_letters, 8u);
  EXPECT_THAT(audit->warnings, testing::ElementsAre(HasSubstr("only this was checked")));
}

TEST_F(TopicAuditWithoutHeaders, FindsAnOutputWrittenTwiceAndOneThatHasNoInput) {
  const auto outputs = Read(settings_.kafka.brokers, topic_ + ".duplicate", 0);
  Write(settings_.kafka.brokers, topic_ + ".duplicate", 0, {outputs.at(3), RecordNow("{}")});
  const AuditReport report = Audited();
  EXPECT_EQ(report[AuditCheck::kCoverage].violations, 1u) << ReportText(report);
  EXPECT_EQ(report[AuditCheck::kPayload].violations, 1u);
}

TEST_F(TopicAuditTest, TheCommandAnswersWithItsExitCodeAndInJson) {
  VerifyArguments arguments;
  arguments.config.sets = {"kafka.brokers=" + settings_.kafka.brokers, "app=" + settings_.kafka.app,
                           "input.topics=[" + topic_ + "]", "record.fields=[text]"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(VerifyCommand(arguments), kExitOk);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("all checks hold"));

  TestRecord slipped = RecordNow("{}");
  slipped.headers = {{"neardup", "seq=\xff"}};
  Write(settings_.kafka.brokers, topic_ + ".unique", 1, {slipped});
  arguments.json = true;
  testing::internal::CaptureStdout();
  EXPECT_EQ(VerifyCommand(arguments), kExitNo);
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["inputs"], 401);
  EXPECT_EQ(json["checks"].size(), kAuditCheckCount);
  EXPECT_EQ(json["checks"][0]["check"], "header");
  EXPECT_EQ(json["checks"][0]["violations"], 1);
  EXPECT_EQ(json["partitions"][1]["end"], kRecordsPerPartition);

  arguments.config.sets.push_back("output.unique_topic={topic}.elsewhere");
  EXPECT_EQ(VerifyCommand(arguments), kExitNoInput);
}

}  // namespace
}  // namespace neardup
