// The audit of topics on a real broker. A lane runs over inputs that contain aborted records too;
// then each test makes one change to the topics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands/program/message.h"
#include "commands/program/run_words.h"
#include "commands/verify/topic_audit.h"
#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/topic_orders.h"
#include "kafka/topics.h"
#include "stream/files/local_ports.h"
#include "stream/lane/lane.h"

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
TestRecord RecordNow(const std::string& value, int64_t later_ms = 0) {
  TestRecord record = Record(value);
  record.timestamp_ms = SystemClock().WallMs() + later_ms;
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
    ASSERT_OK(EnsureTopics(settings_.kafka, inputs, {}));
    WriteInputs();
    RunLane(kRecordsPerPartition * 2 + 1);
  }

  /// 401 records; the texts are the same each time.
  void WriteInputs(int64_t later_ms = 0) {
    for (int partition = 0; partition < 2; ++partition) {
      std::vector<TestRecord> records;
      for (int i = 0; i < kRecordsPerPartition; ++i) {
        records.push_back(RecordNow(ValueOf(partition, i), later_ms));
        records.back().key = "key";
        records.back().headers = {{"trace", "1"}, {"null", std::nullopt}};
      }
      Write(settings_.kafka.brokers, topic_, partition, records);
    }
    WriteInTransaction(settings_.kafka.brokers, topic_, 0, {RecordNow("{}")}, false);
    WriteInTransaction(settings_.kafka.brokers, topic_, 0, {RecordNow(ValueOf(0, 1000), later_ms)},
                       true);
  }

  void RunLane(uint64_t records) {
    const auto source = NewKafkaSource(settings_.kafka, {});
    ASSERT_OK(source);
    const auto changelog = NewKafkaChangelog(settings_.kafka, 0, {});
    ASSERT_OK(changelog);
    const auto transaction = NewKafkaTransaction(settings_.kafka, 0, {}, {});
    OwnLease lease;
    SystemClock clock;
    ProbeFan probe({});
    const auto lane =
        Lane::New(settings_.lane, {**source, **changelog, *transaction, lease, clock, probe});
    ASSERT_OK(lane);
    while ((*lane)->state().seq_committed() < records) ASSERT_OK((*lane)->Step());
    ASSERT_OK((*lane)->Drain());
  }

  Result<TopicAudit> Audit(const TopicAuditOptions& options = {}) {
    Progress quiet(ProgressStyle::kNone, std::cerr, [] { return int64_t{0}; });
    return AuditTopics(settings_, options, quiet, {});
  }

  AuditReport Audited() {
    const auto audit = Audit();
    EXPECT_TRUE(audit.ok()) << audit.error().text;
    return audit.ok() ? audit->report : AuditReport();
  }

  Settings settings_;
  std::string topic_;
};

TEST_F(TopicAuditTest, TheOutputsOfALaneHoldEveryCheck) {
  const auto audit = Audit();
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

TEST_F(TopicAuditTest, UndecidedRecordsArePendingAndNoViolations) {
  Write(settings_.kafka.brokers, topic_, 1, {RecordNow("{}"), RecordNow("{}")});
  const auto audit = Audit();
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_EQ(audit->ranges.at(1).pending_records, 2);
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

TEST_F(TopicAuditTest, ARangeOfARunningLaneHoldsEveryCheckAtAnyMoment) {
  settings_.lane.transaction_interval_ms = 5;
  settings_.lane.batch_records_max = 10;
  for (int round = 1; round <= 5; ++round) WriteInputs(round * 1000);
  std::atomic<bool> done = false;
  std::thread lane([&] {
    RunLane((kRecordsPerPartition * 2 + 1) * 6);
    done = true;
  });
  TopicAuditOptions options;
  options.range.from_ms = SystemClock().WallMs();
  while (!done) {
    const auto audit = Audit(options);
    EXPECT_TRUE(audit.ok() && audit->report.ok())
        << (audit.ok() ? ReportText(audit->report) : audit.error().text);
  }
  lane.join();
}

TEST_F(TopicAuditTest, ARangeOfTimeIsAuditedAndSaysWhatItCannotCheck) {
  constexpr int64_t kMinuteMs = 60'000;
  const int64_t split_ms = SystemClock().WallMs() + kMinuteMs / 2;
  WriteInputs(kMinuteMs);
  RunLane((kRecordsPerPartition * 2 + 1) * 2);
  const auto outputs = Read(settings_.kafka.brokers, topic_ + ".duplicate", 0);
  TopicAuditOptions first;
  first.range.to_ms = split_ms;
  TopicAuditOptions second;
  second.range.from_ms = split_ms;
  const auto before = Audit(first);
  ASSERT_OK(before);
  EXPECT_TRUE(before->report.ok()) << ReportText(before->report);
  EXPECT_TRUE(before->partial);
  EXPECT_EQ(before->report.inputs, 401u);
  EXPECT_EQ(before->report.originals_left_out, 0u);
  EXPECT_EQ(before->ranges.at(1).end, kRecordsPerPartition);
  const auto after = Audit(second);
  ASSERT_OK(after);
  EXPECT_TRUE(after->report.ok()) << ReportText(after->report);
  EXPECT_EQ(after->report.inputs, 401u);
  EXPECT_GT(after->report.originals_left_out, 200u) << "it repeats the records before the range";
  EXPECT_THAT(after->warnings, testing::Contains(HasSubstr("name an original outside")));
  EXPECT_EQ(after->ranges.at(1).begin, kRecordsPerPartition);

  // An output of the second half comes a second time: found there, and not before.
  Write(settings_.kafka.brokers, topic_ + ".duplicate", 0, {outputs.back()});
  EXPECT_EQ(Audit(second)->report[AuditCheck::kCoverage].violations, 1u);
  EXPECT_TRUE(Audit(first)->report.ok());
}

TEST_F(TopicAuditTest, ARangeOfOffsetsIsAudited) {
  TopicAuditOptions options;
  options.range.from_offsets[{topic_, 1}] = 100;
  options.range.to_offsets[{topic_, 1}] = 150;
  const auto audit = Audit(options);
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_EQ(audit->report.inputs, 50u);
  EXPECT_EQ(audit->report[AuditCheck::kCoverage].looked_at, 50u);
  options.range.from_offsets[{topic_, 7}] = 0;
  EXPECT_EQ(Audit(options).error().code, ErrorCode::kNotFound);
}

TEST_F(TopicAuditTest, RefusesToStartIfTheRecordsMayNotFitIntoTheMemory) {
  TopicAuditOptions options;
  options.memory_max = uint64_t{1} << 20;
  const auto audit = Audit(options);
  ASSERT_FALSE(audit.ok());
  EXPECT_EQ(audit.error().code, ErrorCode::kConfig);
  EXPECT_THAT(audit.error().text, testing::AllOf(HasSubstr("--memory-max is 2 MiB"),
                                                 HasSubstr("raise --memory-max, or verify a part"),
                                                 HasSubstr("--since, --from or --to")));
}

TEST_F(TopicAuditTest, OutputsThatRetentionDeletedAreNoViolations) {
  ASSERT_OK(DeleteRecordsBefore(settings_.kafka, topic_ + ".unique", 1, 20));
  const auto audit = Audit();
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_TRUE(audit->partial);
  EXPECT_GT(audit->report.outputs_deleted, 10u);
  EXPECT_THAT(audit->warnings, testing::Contains(HasSubstr("is deleted below offset 20")));
}

TEST_F(TopicAuditTest, WithoutGroupOffsetsTheChangelogSaysWhatIsDecided) {
  Write(settings_.kafka.brokers, topic_, 1, {RecordNow("{}")});
  const std::vector<InputPartition> added = {{topic_ + "-new", 0}};
  CreateTopic(settings_.kafka.brokers, added[0].topic, 1);
  ASSERT_OK(EnsureTopics(settings_.kafka, added, {}));
  Write(settings_.kafka.brokers, added[0].topic, 0, {RecordNow("{}")});
  settings_.kafka.topics.push_back(added[0].topic);
  const auto audit = Audit();
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_EQ(audit->report.inputs, 401u);
  EXPECT_EQ(audit->ranges.at(1).pending_records, 1);
  EXPECT_EQ(audit->ranges.at(2).pending_records, 1) << "the lane has not begun with it";
}

/// A lane reads a second topic first. Then the configuration leaves the second topic out, and
/// copies of its records come on the first topic.
class RemovedInputTest : public TopicAuditTest {
 protected:
  void Run(UniqueKey key) {
    settings_.lane.unique_key = key;
    settings_.lane.routing.keep = Keep::kNewest;
    removed_ = topic_ + "-removed";
    CreateTopic(settings_.kafka.brokers, removed_, 1);
    ASSERT_OK(EnsureTopics(settings_.kafka, std::vector<InputPartition>{{removed_, 0}}, {}));
    const std::vector<std::string> only = {topic_};
    settings_.kafka.topics.push_back(removed_);
    SetTopics({});
    CopyTo(removed_, 2);
    RunLane(kDecided + 100);
    CopyTo(topic_, 2);
    RunLane(kDecided + 200);
    const std::vector<std::string> before = settings_.lane.pipeline.topics.inputs;
    settings_.kafka.topics = only;
    SetTopics(before);
    CopyTo(topic_, 2);
    RunLane(kDecided + 300);
  }
  void SetTopics(const std::vector<std::string>& before) {
    const KafkaOptions& kafka = settings_.kafka;
    settings_.lane.pipeline.topics = {SortedTopics(kafka.topics), kafka.unique_topic,
                                      kafka.duplicate_topic, kafka.dead_letter_topic};
    settings_.lane.pipeline.before.inputs = before;
  }
  /// 100 records of texts that no input had at first.
  void CopyTo(const std::string& topic, int partition) {
    std::vector<TestRecord> records;
    for (int i = 0; i < 100; ++i) records.push_back(RecordNow(ValueOf(partition, i + 1000)));
    Write(settings_.kafka.brokers, topic, 0, records);
  }
  static constexpr int kDecided = kRecordsPerPartition * 2 + 1;
  std::string removed_;
};

TEST_F(RemovedInputTest, ItsRecordsAreAuditedWithTheOthers) {
  Run(UniqueKey::kRecord);
  const auto audit = Audit();
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_EQ(audit->report.inputs, 701u);
  EXPECT_FALSE(audit->partial);
}

TEST_F(RemovedInputTest, WithGroupsAsKeysCopiesBeginNewGroupsOnTheirOwnTopic) {
  Run(UniqueKey::kGroup);
  const auto audit = Audit();
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_EQ(audit->report.inputs, 701u);
}

TEST_F(RemovedInputTest, TheOutputsStandForRecordsOfADeletedTopic) {
  Run(UniqueKey::kRecord);
  ASSERT_OK(DropTopic(settings_.kafka, removed_));
  const auto audit = Audit();
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_EQ(audit->report.outputs_without_input, 100u);
  EXPECT_EQ(audit->report.originals_left_out, 0u);
  EXPECT_TRUE(audit->partial);
  EXPECT_THAT(audit->warnings, testing::Contains(HasSubstr(removed_ + " does not exist")));
}

TEST_F(RemovedInputTest, IfItsOutputsAreAlsoDeletedRecordsWithoutAnOutputAreCounted) {
  Run(UniqueKey::kGroup);
  for (const char* suffix : {"", ".unique", ".duplicate", ".dead-letter"}) {
    ASSERT_OK(DropTopic(settings_.kafka, removed_ + suffix));
  }
  const auto audit = Audit();
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->report.ok()) << ReportText(audit->report);
  EXPECT_GT(audit->report.outputs_deleted, 0u);
  EXPECT_THAT(audit->warnings, testing::Contains(HasSubstr(removed_ + ".unique does not exist")));
}

TEST_F(TopicAuditTest, AMissingOutputTopicIsNamed) {
  settings_.kafka.unique_topic = "{topic}.elsewhere";
  const auto audit = Audit();
  ASSERT_FALSE(audit.ok());
  EXPECT_EQ(audit.error().code, ErrorCode::kNotFound) << audit.error().text;
  EXPECT_THAT(audit.error().text, HasSubstr(topic_ + ".elsewhere"));
}

TEST_F(TopicAuditTest, TheCommandAnswersWithItsExitCodeAndInJson) {
  std::vector<std::string> words = {"verify", "--brokers",         settings_.kafka.brokers,
                                    "--app",  settings_.kafka.app, "--topics",
                                    topic_,   "--fields",          "text"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunWords(words), kExitOk);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("all checks hold"));

  TestRecord slipped = RecordNow("{}");
  slipped.headers = {{"neardup", "seq=\xff"}};
  Write(settings_.kafka.brokers, topic_ + ".unique", 1, {slipped});
  words.emplace_back("--json");
  testing::internal::CaptureStdout();
  EXPECT_EQ(RunWords(words), kExitNo);
  const auto json = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["inputs"], 401);
  EXPECT_EQ(json["checks"].size(), kAuditCheckCount);
  EXPECT_EQ(json["checks"][0]["check"], "header");
  EXPECT_EQ(json["checks"][0]["violations"], 1);
  EXPECT_EQ(json["partitions"][1]["end"], kRecordsPerPartition);

  words.insert(words.end(), {"--set", "output.unique_topic={topic}.elsewhere"});
  EXPECT_EQ(RunWords(words), kExitNoInput);
}

}  // namespace
}  // namespace neardup
