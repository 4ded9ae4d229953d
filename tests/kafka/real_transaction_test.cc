// The transaction port on a real broker: what readers see, and which instances are fenced.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "kafka/client.h"
#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/topic_admin.h"
#include "kafka/topic_orders.h"
#include "kafka/topics.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RealTransaction : public ::testing::Test {
 protected:
  void SetUp() override { SetUpTopics({}); }

  void SetUpTopics(const std::map<std::string, std::string>& input_settings) {
    options_ = FreshOptions(TestBrokers());
    input_ = {options_.topics[0], 1};
    CreateTopic(options_.brokers, input_.topic, 2, input_settings);
    const std::vector<InputPartition> inputs = {{input_.topic, 0}, input_};
    Result<TopicReport> report = EnsureTopics(options_, inputs, {});
    ASSERT_OK(report);
    max_message_bytes_ = report->max_message_bytes;
  }
  std::unique_ptr<Transaction> New() {
    return NewKafkaTransaction(options_, 0, max_message_bytes_, {});
  }
  std::unique_ptr<Transaction> NewFenced() {
    auto transaction = New();
    const Result<void> fenced = transaction->Fence();
    EXPECT_TRUE(fenced.ok()) << fenced.error().text;
    return transaction;
  }
  Result<void> Publish(Transaction& transaction, const TestRecord& record, int64_t offset,
                       Decision decision = Decision::kUnique, bool by_reference = false,
                       bool alone = false) {
    return Publish(transaction, AsMessage(record, {0, offset}), decision, by_reference, alone);
  }
  Result<void> Publish(Transaction& transaction, const Message& message,
                       Decision decision = Decision::kUnique, bool by_reference = false,
                       bool alone = false) {
    Verdict verdict;
    verdict.decision = decision;
    return transaction.Publish({.message = message,
                                .input = input_,
                                .verdict = verdict,
                                .fingerprint = {},
                                .route = RouteOf(verdict.decision),
                                .seq = 1,
                                .by_reference = by_reference,
                                .alone = alone,
                                .headers = &ours_});
  }
  Result<void> Commit(Transaction& transaction, int64_t next_offset) {
    NEARDUP_TRY(transaction.PublishDelta("delta"));
    const std::vector<InputProgress> progress = {{input_, next_offset, 0}};
    NEARDUP_TRY(transaction.Commit(progress));
    for (const std::string* output :
         {&options_.unique_topic, &options_.duplicate_topic, &options_.dead_letter_topic}) {
      AwaitNothingOpen(options_.brokers, ExpandTopic(*output, input_.topic), 1);
    }
    AwaitNothingOpen(options_.brokers, ChangelogTopic(options_), 0);
    return {};
  }
  /// Publishes records whose owners nobody else keeps.
  std::vector<std::weak_ptr<const std::string>> PublishOwned(
      Transaction& transaction, const std::vector<std::string>& values) {
    std::vector<std::weak_ptr<const std::string>> owners;
    for (const std::string& value : values) {
      const auto owner = std::make_shared<const std::string>(value);
      Message message;
      message.position = {0, static_cast<int64_t>(owners.size())};
      message.value = *owner;
      message.owner = owner;
      owners.push_back(owner);
      const Result<void> published = Publish(transaction, message);
      EXPECT_TRUE(published.ok()) << published.error().text;
    }
    return owners;
  }
  /// The reasons of all refusals so far, by offset.
  using Blame = std::map<int64_t, std::vector<Reason>>;

  /// Publishes all records, and again after each abort, until the commit succeeds, like the lane.
  Blame CommitDespiteRefusals(
      Transaction& transaction, int64_t records,
      const std::function<Result<void>(int64_t offset, const Blame&)>& publish) {
    Blame blame;
    for (int attempt = 0; attempt < 8; ++attempt) {
      Result<void> built = transaction.Begin();
      for (int64_t offset = 0; offset < records && built.ok(); ++offset) {
        built = publish(offset, blame);
      }
      if (built.ok()) built = Commit(transaction, records);
      if (built.ok()) return blame;
      EXPECT_EQ(built.error().code, ErrorCode::kAborted) << built.error().text;
      const Result<void> aborted = transaction.Abort();
      EXPECT_TRUE(aborted.ok()) << aborted.error().text;
      for (const auto& refusal : transaction.TakeRefusals()) {
        blame[refusal.position.offset].push_back(refusal.reason);
      }
    }
    ADD_FAILURE() << "never committed";
    return blame;
  }
  std::vector<std::string> Uniques(const std::string& isolation = "read_committed") {
    return ReadValues(options_.brokers, input_.topic + ".unique", 1, isolation);
  }

  KafkaOptions options_;
  InputPartition input_;
  std::vector<HeaderView> ours_ = {{"neardup", "seq=1"}};
  std::map<std::string, int64_t> max_message_bytes_;
};

TEST_F(RealTransaction, RecordsAreHiddenUntilTheCommit) {
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("a"), 0));
  EXPECT_THAT(Uniques(), IsEmpty());
  ASSERT_OK(Commit(*transaction, 1));
  EXPECT_THAT(Uniques(), ElementsAre("a"));
  EXPECT_THAT(ReadValues(options_.brokers, ChangelogTopic(options_), 0), ElementsAre("delta"));
}

TEST_F(RealTransaction, TheOwnersOfRecordsAreKeptUntilTheTransactionEnds) {
  const std::vector<std::string> values = {"small", std::string(200'000, 'x'), ""};
  const auto kept = [](const auto& owners) {
    return std::count_if(owners.begin(), owners.end(),
                         [](const auto& owner) { return !owner.expired(); });
  };
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  const auto aborted = PublishOwned(*transaction, values);
  EXPECT_EQ(kept(aborted), 3);
  ASSERT_OK(transaction->Abort());
  EXPECT_EQ(kept(aborted), 0);

  ASSERT_OK(transaction->Begin());
  const auto committed = PublishOwned(*transaction, values);
  EXPECT_EQ(kept(committed), 3);
  ASSERT_OK(Commit(*transaction, 3));
  EXPECT_EQ(kept(committed), 0);
  EXPECT_THAT(Uniques(), ElementsAreArray(values));

  ASSERT_OK(transaction->Begin());
  const auto abandoned = PublishOwned(*transaction, values);
  transaction->Abandon(true);
  EXPECT_EQ(kept(abandoned), 0);
  EXPECT_THAT(Uniques(), ElementsAreArray(values));
}

TEST_F(RealTransaction, APartitionThatIsNewerThanTheProducerTakesRecords) {
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("old"), 0));
  ASSERT_OK(Commit(*transaction, 1));
  TopicAdmin admin(Client::New(options_, ClientRole::kWatermark, {}).value(), options_);
  ASSERT_OK(admin.Grow(input_.topic, 3));
  ASSERT_OK(admin.AwaitPartitions(input_.topic, 3));
  const std::vector<InputPartition> inputs = {
      {input_.topic, 0}, {input_.topic, 1}, {input_.topic, 2}};
  ASSERT_OK(EnsureTopics(options_, inputs, {}));
  input_.partition = 2;
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("new"), 0));
  ASSERT_OK(transaction->PublishDelta("delta"));
  const std::vector<InputProgress> progress = {{input_, 1, 0}};
  ASSERT_OK(transaction->Commit(progress));
  AwaitNothingOpen(options_.brokers, input_.topic + ".unique", 2);
  EXPECT_THAT(ReadValues(options_.brokers, input_.topic + ".unique", 2), ElementsAre("new"));
}

TEST_F(RealTransaction, AnAbortedTransactionLeavesNothingAndTheNextOneWorks) {
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("gone"), 0));
  ASSERT_OK(transaction->PublishDelta("delta"));
  ASSERT_OK(transaction->Abort());
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("kept"), 0));
  ASSERT_OK(Commit(*transaction, 1));
  EXPECT_THAT(Uniques(), ElementsAre("kept"));
  EXPECT_THAT(ReadValues(options_.brokers, ChangelogTopic(options_), 0), ElementsAre("delta"));
}

TEST_F(RealTransaction, EachDecisionGoesToItsTopicInTheSamePartition) {
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("u"), 0, Decision::kUnique));
  ASSERT_OK(Publish(*transaction, Record("d"), 1, Decision::kDuplicate));
  ASSERT_OK(Publish(*transaction, Record("x"), 2, Decision::kDeadLetter));
  ASSERT_OK(Commit(*transaction, 3));
  EXPECT_THAT(Uniques(), ElementsAre("u"));
  EXPECT_THAT(ReadValues(options_.brokers, input_.topic + ".duplicate", 1), ElementsAre("d"));
  EXPECT_THAT(ReadValues(options_.brokers, input_.topic + ".dead-letter", 1), ElementsAre("x"));
  EXPECT_THAT(ReadValues(options_.brokers, input_.topic + ".unique", 0), IsEmpty());
}

TEST_F(RealTransaction, KeysValuesHeadersAndTimestampsStayUnchanged) {
  const std::vector<TestRecord> records = {
      {"key", "value", {{"a", "1"}, {"a", "2"}, {"", ""}, {"null", {}}}, 7},
      {{}, {}, {}, 4'102'444'800'000},
      {"", "", {{"binary", std::string("\0\xff\n", 3)}}, 1'700'000'000'123},
  };
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  for (size_t i = 0; i < records.size(); ++i) {
    ASSERT_OK(Publish(*transaction, records[i], static_cast<int64_t>(i)));
  }
  ASSERT_OK(Commit(*transaction, 3));
  std::vector<TestRecord> expected = records;
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i].headers.emplace_back("neardup", "seq=1");
    expected[i].offset = static_cast<int64_t>(i);
  }
  EXPECT_EQ(Read(options_.brokers, input_.topic + ".unique", 1), expected);
}

TEST_F(RealTransaction, ARecordWithoutATimestampStaysWithoutOne) {
  TestRecord record = Record("v");
  record.timestamp_ms = -1;
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, record, 0));
  ASSERT_OK(Commit(*transaction, 1));
  const auto seen = Read(options_.brokers, input_.topic + ".unique", 1);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].timestamp_ms, -1);
}

TEST_F(RealTransaction, TheTimestampZeroBecomesOneBecauseTheClientCannotSendIt) {
  TestRecord record = Record("v");
  record.timestamp_ms = 0;
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, record, 0));
  ASSERT_OK(Commit(*transaction, 1));
  const auto seen = Read(options_.brokers, input_.topic + ".unique", 1);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].timestamp_ms, 1);
}

TEST_F(RealTransaction, ByReferenceOnlyOurHeadersAreWritten) {
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  const TestRecord record = {"key", "value", {{"own", "1"}}};
  ASSERT_OK(Publish(*transaction, record, 0, Decision::kDeadLetter, true));
  ASSERT_OK(Commit(*transaction, 1));
  const std::vector<TestRecord> expected = {
      {{}, {}, {{"neardup", "seq=1"}}, record.timestamp_ms, 0}};
  EXPECT_EQ(Read(options_.brokers, input_.topic + ".dead-letter", 1), expected);
}

TEST_F(RealTransaction, OffsetsAreCommittedWithTheTransactionAndOnlyThen) {
  auto transaction = NewFenced();
  const std::vector<InputPartition> partitions = {{input_.topic, 0}, input_};
  auto offsets = transaction->CommittedOffsets(partitions);
  ASSERT_OK(offsets);
  EXPECT_THAT(*offsets, ElementsAre(-1, -1));
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("a"), 41));
  ASSERT_OK(Commit(*transaction, 42));
  offsets = transaction->CommittedOffsets(partitions);
  ASSERT_OK(offsets);
  EXPECT_THAT(*offsets, ElementsAre(-1, 42));
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("b"), 42));
  EXPECT_EQ(OffsetOfGroup(options_.brokers, options_.app, input_.topic, 1), 42);
  ASSERT_OK(transaction->Abort());
  EXPECT_EQ(OffsetOfGroup(options_.brokers, options_.app, input_.topic, 1), 42);
  EXPECT_EQ(OffsetOfGroup(options_.brokers, options_.app, input_.topic, 0), -1);
}

TEST_F(RealTransaction, AForeignTransactionThatHoldsTheOffsetsOfTheGroupBlocksNobody) {
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("a"), 41));
  ASSERT_OK(Commit(*transaction, 42));
  const OpenOffsets foreign(options_.brokers, options_.app, input_.topic, 1, 7);
  const std::vector<InputPartition> partitions = {input_};
  const auto offsets = transaction->CommittedOffsets(partitions);
  ASSERT_OK(offsets);
  EXPECT_THAT(*offsets, ElementsAre(42));
}

TEST_F(RealTransaction, ANewOwnerFencesTheOldOneAndEndsItsOpenTransaction) {
  auto old_owner = NewFenced();
  ASSERT_OK(old_owner->Begin());
  ASSERT_OK(Publish(*old_owner, Record("zombie"), 0));
  EXPECT_THAT(Uniques("read_uncommitted").size(), ::testing::Le(1U));

  auto new_owner = NewFenced();
  ASSERT_OK(new_owner->Begin());
  ASSERT_OK(Publish(*new_owner, Record("good"), 0));
  ASSERT_OK(Commit(*new_owner, 1));

  const Result<void> late = Commit(*old_owner, 1);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kFenced) << late.error().text;
  const Result<void> begun = old_owner->Begin();
  ASSERT_FALSE(begun.ok());
  EXPECT_EQ(begun.error().code, ErrorCode::kFenced) << begun.error().text;
  EXPECT_THAT(Uniques(), ElementsAre("good"));

  ASSERT_OK(old_owner->Fence());  // takes the lane back
  ASSERT_OK(old_owner->Begin());
  ASSERT_OK(Publish(*old_owner, Record("back"), 1));
  ASSERT_OK(Commit(*old_owner, 2));
  EXPECT_THAT(Uniques(), ElementsAre("good", "back"));
}

TEST_F(RealTransaction, ATransactionLeftOpenByADestroyedOwnerIsEndedByTheNextFence) {
  {
    auto owner = NewFenced();
    ASSERT_OK(owner->Begin());
    ASSERT_OK(Publish(*owner, Record("lost"), 0));
    ASSERT_OK(owner->PublishDelta("lost"));
    // Only then a transaction is open. Before that, librdkafka may end the process when a client is
    // destroyed while it registers a partition (2.0.2 and 2.8: an assertion about txn_req_cnt).
    while (Uniques("read_uncommitted").empty()) continue;
  }
  auto next = NewFenced();
  ASSERT_OK(next->Begin());
  ASSERT_OK(Publish(*next, Record("kept"), 0));
  ASSERT_OK(Commit(*next, 1));
  EXPECT_THAT(Uniques(), ElementsAre("kept"));
}

TEST_F(RealTransaction, MoreRecordsThanTheQueueHoldsAreAllSent) {
  options_.inflight_records_max = 100;
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  for (int i = 0; i < 5000; ++i) ASSERT_OK(Publish(*transaction, Record(std::to_string(i)), i));
  ASSERT_OK(Commit(*transaction, 5000));
  const std::vector<std::string> seen = Uniques();
  ASSERT_EQ(seen.size(), 5000U);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], std::to_string(i));
}

TEST_F(RealTransaction, ARecordTooLargeForTheOutputIsFoundAmongItsNeighbours) {
  // Does not know the topic's limit, so that the broker has to refuse the record.
  const size_t limit = New()->record_bytes_max(input_);
  max_message_bytes_.clear();
  for (const char* output : {".unique", ".duplicate", ".dead-letter"}) {
    max_message_bytes_[input_.topic + output] = 50'000'000;
  }
  auto transaction = NewFenced();
  const TestRecord large = Record(std::string(limit + 100'000, 'x'));
  const Blame blame =
      CommitDespiteRefusals(*transaction, 3, [&](int64_t offset, const Blame& so_far) {
        const bool suspect = so_far.count(offset) > 0;
        if (offset != 1) {
          return Publish(*transaction, Record(offset == 0 ? "before" : "after"), offset,
                         Decision::kUnique, false, suspect);
        }
        const bool found = suspect && so_far.at(1).back() == Reason::kTooLarge;
        return Publish(*transaction, large, 1, found ? Decision::kDeadLetter : Decision::kUnique,
                       found, suspect);
      });
  ASSERT_EQ(blame.count(1), 1U);
  EXPECT_EQ(blame.at(1).back(), Reason::kTooLarge);
  for (const auto& [offset, reasons] : blame) {
    if (offset == 1) continue;
    EXPECT_THAT(reasons, ElementsAre(Reason::kUndeliverable)) << offset;
  }
  EXPECT_THAT(Uniques(), ElementsAre("before", "after"));
}

TEST_F(RealTransaction, ALimitThatAnOperatorRaisesCountsAtOnce) {
  const std::string unique = input_.topic + ".small";
  CreateTopic(options_.brokers, unique, 2, {{"max.message.bytes", "20000"}});
  options_.unique_topic = "{topic}.small";
  max_message_bytes_[unique] = 20'000;
  auto transaction = NewFenced();
  EXPECT_LT(transaction->record_bytes_max(input_), 20'000U);
  ASSERT_OK(SetTopicSetting(options_, unique, "max.message.bytes", "90000"));
  transaction->RefreshLimits(input_);
  EXPECT_GT(transaction->record_bytes_max(input_), 80'000U);
  EXPECT_LT(transaction->record_bytes_max(input_), 90'000U);
}

TEST_F(RealTransaction, OnlyAProducerThatCompressesMayFitLargerRecords) {
  EXPECT_FALSE(New()->compresses());
  options_.producer_properties["compression.type"] = "zstd";
  EXPECT_TRUE(New()->compresses());
  options_.producer_properties["compression.type"] = "none";
  EXPECT_FALSE(New()->compresses());
}

TEST_F(RealTransaction, ACompactedOutputStopsTheLaneUntilItTakesRecordsWithoutAKey) {
  const std::string unique = input_.topic + ".compacted";
  CreateTopic(options_.brokers, unique, 2, {{"cleanup.policy", "compact"}});
  options_.unique_topic = "{topic}.compacted";
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  TestRecord keyless = Record("no key");
  keyless.key.reset();
  ASSERT_OK(Publish(*transaction, keyless, 0));
  const Result<void> committed = Commit(*transaction, 1);
  ASSERT_FALSE(committed.ok());
  ASSERT_EQ(committed.error().code, ErrorCode::kAborted) << committed.error().text;
  ASSERT_OK(transaction->Abort());
  const std::string wanted =
      "topic " + unique + " has cleanup.policy=compact and refuses records without a key";
  const Result<void> begun = transaction->Begin();
  ASSERT_FALSE(begun.ok());
  EXPECT_TRUE(begun.error().retriable);
  EXPECT_THAT(begun.error().text, HasSubstr(wanted));
  EXPECT_THAT(transaction->Fence().error().text, HasSubstr(wanted));
  ASSERT_OK(SetTopicSetting(options_, unique, "cleanup.policy", "delete"));
  ASSERT_OK(transaction->Fence());
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, keyless, 0));
  ASSERT_OK(Commit(*transaction, 1));
  EXPECT_THAT(ReadValues(options_.brokers, unique, 1), ElementsAre("no key"));
}

TEST_F(RealTransaction, AGroupsTopicThatRefusesARecordDoesNotStopTheLane) {
  options_.groups_topic = options_.app + "-groups";
  CreateTopic(options_.brokers, options_.groups_topic, 1,
              {{"cleanup.policy", "compact"}, {"max.message.bytes", "2000"}});
  auto transaction = NewFenced();
  ASSERT_OK(transaction->Begin());
  ASSERT_OK(Publish(*transaction, Record("a"), 0));
  ASSERT_OK(transaction->PublishGroup({"key", std::string(5000, 'x')}));
  const Result<void> committed = Commit(*transaction, 1);
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().code, ErrorCode::kAborted);
  EXPECT_THAT(committed.error().text, HasSubstr("-groups refuses a record"));
  // The library leaves a gap in its sequence numbers, so that the next transaction aborts as well.
  for (int tries = 0; tries < 5; ++tries) {
    ASSERT_OK(transaction->Abort());
    ASSERT_OK(transaction->Begin());
    ASSERT_OK(Publish(*transaction, Record("a"), 0));
    ASSERT_OK(transaction->PublishGroup({"key", std::string(5000, 'x')}));
    if (Commit(*transaction, 1).ok()) break;
  }
  EXPECT_THAT(Uniques(), ElementsAre("a"));
}

TEST_F(RealTransaction, ARefusedTimestampIsFoundAmongItsNeighbours) {
  const std::string unique = input_.topic + ".strict";
  CreateTopic(options_.brokers, unique, 2, {{"message.timestamp.after.max.ms", "3600000"}});
  options_.unique_topic = "{topic}.strict";
  auto transaction = NewFenced();
  TestRecord future = Record("future");
  future.timestamp_ms = 4'102'444'800'000;
  const Blame blame =
      CommitDespiteRefusals(*transaction, 5, [&](int64_t offset, const Blame& so_far) {
        const bool suspect = so_far.count(offset) > 0;
        if (offset != 2) {
          return Publish(*transaction, Record("good"), offset, Decision::kUnique, false, suspect);
        }
        const bool found = suspect && so_far.at(2).size() == 2;
        return Publish(*transaction, future, 2, found ? Decision::kDeadLetter : Decision::kUnique,
                       found, suspect);
      });
  ASSERT_EQ(blame.count(2), 1U);
  for (const auto& [offset, reasons] : blame) {
    EXPECT_EQ(reasons.size(), offset == 2 ? 2U : 1U) << offset;
  }
  EXPECT_THAT(ReadValues(options_.brokers, unique, 1), ElementsAre("good", "good", "good", "good"));
}

TEST_F(RealTransaction, WithoutABrokerFenceNamesTheAddressWithinItsTimeout) {
  options_.brokers = "127.0.0.1:1";
  options_.transaction_timeout_ms = 2000;
  const Result<void> fenced = New()->Fence();
  ASSERT_FALSE(fenced.ok());
  EXPECT_EQ(fenced.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(fenced.error().retriable);
  EXPECT_THAT(fenced.error().text, HasSubstr("127.0.0.1:1"));
}

TEST_F(RealTransaction, AnOutputTopicThatIsMissingIsNamed) {
  options_.unique_topic = "{topic}.absent";
  options_.answer_timeout_ms = 1000;
  const Result<void> fenced = New()->Fence();
  ASSERT_FALSE(fenced.ok());
  EXPECT_EQ(fenced.error().code, ErrorCode::kNotFound) << fenced.error().text;
  EXPECT_THAT(fenced.error().text, HasSubstr(".absent"));
}

}  // namespace
}  // namespace neardup
