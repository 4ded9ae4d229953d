// The source port on a real broker: which records it delivers, in which order, and from which
// offset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>

#include "kafka/kafka_cluster.h"
#include "kafka/kafka_ports.h"
#include "kafka/topic_orders.h"

namespace neardup {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RealSource : public ::testing::Test {
 protected:
  void SetUp() override {
    options_ = FreshOptions(TestBrokers());
    topic_ = options_.topics[0];
    CreateTopic(options_.brokers, topic_, 3);
    Result<std::unique_ptr<Source>> source = NewKafkaSource(options_, {});
    ASSERT_OK(source);
    source_ = std::move(source).value();
  }
  void WriteValues(int32_t partition, int first, int count) {
    std::vector<TestRecord> records;
    for (int i = first; i < first + count; ++i) records.push_back(Record(std::to_string(i)));
    Write(options_.brokers, topic_, partition, records);
  }
  Result<void> Assign(int64_t offset, int32_t partition = 0) {
    const std::vector<InputAssignment> inputs = {{7, {topic_, partition}, offset}};
    return source_->Assign(inputs);
  }
  bool AllAtEnd() {
    const std::vector<InputStatus> rows = source_->Status();
    return std::all_of(rows.begin(), rows.end(), [](const InputStatus& row) { return row.at_end; });
  }
  bool AllHaveRecords() {
    const std::vector<InputStatus> rows = source_->Status();
    return std::all_of(rows.begin(), rows.end(),
                       [](const InputStatus& row) { return row.lag_records > 0; });
  }
  /// Takes no record until the source knows that each input has some.
  void AwaitRecordsInAll() {
    std::vector<Message> none;
    for (int polls = 0; !AllHaveRecords() && polls < 300; ++polls) {
      ASSERT_OK(source_->Poll(0, 100, none));
    }
  }
  /// Polls until every input is at its end. Sets error_ when a poll fails.
  std::vector<Message> Drain(size_t records_max = 100) {
    std::vector<Message> all;
    for (int polls = 0; polls < 3000; ++polls) {
      const size_t before = all.size();
      const Result<void> polled = source_->Poll(records_max, 100, all);
      if (!polled.ok()) {
        error_ = polled.error();
        return all;
      }
      EXPECT_LE(all.size() - before, records_max);
      if (all.size() == before && AllAtEnd()) return all;
    }
    ADD_FAILURE() << "the end was never reached";
    return all;
  }
  static std::vector<std::string> Values(const std::vector<Message>& messages) {
    std::vector<std::string> values;
    for (const Message& message : messages) values.emplace_back(message.value.value_or("(null)"));
    return values;
  }

  KafkaOptions options_;
  std::string topic_;
  std::unique_ptr<Source> source_;
  std::optional<Error> error_;
};

TEST_F(RealSource, ListsThePartitionsSorted) {
  const auto partitions = source_->Partitions();
  ASSERT_OK(partitions);
  EXPECT_THAT(*partitions, ElementsAre(InputPartition{topic_, 0}, InputPartition{topic_, 1},
                                       InputPartition{topic_, 2}));
}

TEST_F(RealSource, AMissingTopicIsNamed) {
  options_.topics = {"absent-topic"};
  auto source = NewKafkaSource(options_, {});
  ASSERT_OK(source);
  const auto partitions = (*source)->Partitions();
  ASSERT_FALSE(partitions.ok());
  EXPECT_EQ(partitions.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(partitions.error().text, HasSubstr("absent-topic"));
}

TEST_F(RealSource, WithoutABrokerTheQuestionEndsAtItsDeadline) {
  options_.brokers = "127.0.0.1:1";
  options_.answer_timeout_ms = 1000;
  auto source = NewKafkaSource(options_, {});
  ASSERT_OK(source);
  const auto partitions = (*source)->Partitions();
  ASSERT_FALSE(partitions.ok());
  EXPECT_EQ(partitions.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(partitions.error().retriable);
  EXPECT_THAT(partitions.error().text, HasSubstr("127.0.0.1:1"));
}

TEST_F(RealSource, DeliversKeyValueHeadersTimestampAndPosition) {
  const std::vector<TestRecord> records = {
      {"key", "value", {{"a", "1"}, {"a", "2"}, {"", ""}, {"null", {}}}, 7},
      {{}, {}, {}, 4'102'444'800'000},
      {"", "", {{"binary", std::string("\0\xff\n", 3)}}, -1},
  };
  Write(options_.brokers, topic_, 0, records);
  ASSERT_OK(Assign(0));
  const std::vector<Message> seen = Drain();
  ASSERT_EQ(seen.size(), records.size());
  for (size_t i = 0; i < seen.size(); ++i) {
    const Message expected = AsMessage(records[i], {7, static_cast<int64_t>(i)});
    EXPECT_EQ(seen[i].position, expected.position);
    EXPECT_EQ(seen[i].key, expected.key);
    EXPECT_EQ(seen[i].value, expected.value);
    EXPECT_EQ(seen[i].timestamp_ms, expected.timestamp_ms);
    ASSERT_EQ(seen[i].headers.size(), expected.headers.size());
    for (size_t h = 0; h < seen[i].headers.size(); ++h) {
      EXPECT_EQ(seen[i].headers[h].name, expected.headers[h].name);
      EXPECT_EQ(seen[i].headers[h].value, expected.headers[h].value);
    }
  }
}

TEST_F(RealSource, MessagesOutliveTheSource) {
  WriteValues(0, 0, 10);
  ASSERT_OK(Assign(0));
  const std::vector<Message> seen = Drain();
  source_.reset();
  EXPECT_THAT(Values(seen), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
}

// A new assignment while fetched records lie in all queues must neither lose nor repeat a record.
TEST_F(RealSource, AssignMovesToExactlyTheGivenOffsets) {
  constexpr int kCount = 20'000;
  WriteValues(0, 0, kCount);
  for (const int64_t start : {0, 15'000, 3, 0, 19'999, 7'000}) {
    ASSERT_OK(Assign(start));
    std::vector<Message> few;
    for (int polls = 0; few.size() < 500 && start < 19'000 && polls < 100; ++polls) {
      ASSERT_OK(source_->Poll(100, 1000, few));
    }
    for (size_t i = 0; i < few.size(); ++i) {
      ASSERT_EQ(few[i].position.offset, start + static_cast<int64_t>(i));
    }
  }
  ASSERT_OK(Assign(5));
  const std::vector<Message> all = Drain(1000);
  ASSERT_EQ(all.size(), static_cast<size_t>(kCount - 5));
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].value, std::to_string(i + 5));
  }
}

TEST_F(RealSource, TheInputLowestInTimeComesFirst) {
  std::vector<InputAssignment> inputs;
  std::vector<int64_t> expected;
  for (int32_t partition = 0; partition < 3; ++partition) {
    std::vector<TestRecord> records;
    for (int i = 0; i < 400; ++i) {
      TestRecord record = Record("v");
      record.timestamp_ms = 1'700'000'000'000 + i * 3 + partition;
      expected.push_back(record.timestamp_ms);
      records.push_back(record);
    }
    Write(options_.brokers, topic_, partition, records);
    inputs.push_back({static_cast<uint32_t>(partition), {topic_, partition}, 0});
  }
  std::sort(expected.begin(), expected.end());
  // The source waits half a second for records that are on their way. On a busy machine they may
  // take longer, so the order may need another try.
  std::vector<int64_t> times;
  for (int tries = 0; times != expected && tries < 10; ++tries) {
    ASSERT_OK(source_->Assign(inputs));
    AwaitRecordsInAll();
    ASSERT_TRUE(AllHaveRecords());
    // An answer over the same connection: records fetched before it are in the queues now.
    ASSERT_OK(source_->Partitions());
    times.clear();
    for (const Message& message : Drain(200)) times.push_back(message.timestamp_ms);
    ASSERT_EQ(times.size(), expected.size());
  }
  EXPECT_EQ(times, expected);
}

TEST_F(RealSource, NewRecordsEndTheWaitAndTheEndOfTheInput) {
  ASSERT_OK(Assign(0));
  EXPECT_THAT(Drain(), IsEmpty());
  EXPECT_TRUE(AllAtEnd());
  WriteValues(0, 0, 3);
  std::vector<Message> seen;
  for (int polls = 0; seen.size() < 3 && polls < 100; ++polls) {
    ASSERT_OK(source_->Poll(1, 1000, seen));
    if (seen.size() == 1) {
      EXPECT_FALSE(AllAtEnd());
      // The three records may reach the broker in several batches.
      const auto lag = [this] { return source_->Status()[0].lag_records; };
      std::vector<Message> none;
      for (int tries = 0; lag() != 2 && tries < 100; ++tries) {
        ASSERT_OK(source_->Poll(0, 100, none));
      }
      EXPECT_EQ(lag(), 2);
    }
  }
  EXPECT_THAT(Values(seen), ElementsAre("0", "1", "2"));
  EXPECT_THAT(Drain(), IsEmpty());
  EXPECT_EQ(source_->Status()[0].lag_records, 0);
}

// A partition whose turn has not come must not keep in memory what the others have read: a record
// that waits in the library keeps the whole answer of the broker that brought it.
TEST_F(RealSource, PartitionsThatWaitTakeNoMoreThanTheirShare) {
  constexpr int32_t kPartitions = 8;
  constexpr size_t kRecords = 25'000;
  constexpr size_t kBytes = 1000;
  constexpr size_t kPrefetch = size_t{32} << 20;
  options_.prefetch_bytes_max = kPrefetch;
  options_.topics = {FreshName("backlog")};
  CreateTopic(options_.brokers, options_.topics[0], kPartitions);
  std::vector<InputAssignment> inputs;
  for (int32_t partition = 0; partition < kPartitions; ++partition) {
    TestRecord record = Record(std::string(kBytes, 'v'));
    record.timestamp_ms += partition * 1'000'000;  // each comes after all of the previous partition
    Write(options_.brokers, options_.topics[0], partition, std::vector(kRecords, record));
    inputs.push_back({static_cast<uint32_t>(partition), {options_.topics[0], partition}, 0});
  }
  auto source = NewKafkaSource(options_, {});
  ASSERT_OK(source);
  ASSERT_OK((*source)->Assign(inputs));
  const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  size_t most = 0;
  size_t read = 0;
  std::vector<Message> batch;
  for (int polls = 0; read < kPartitions * kRecords && polls < 20'000; ++polls) {
    batch.clear();
    ASSERT_OK((*source)->Poll(500, 100, batch));
    read += batch.size();
    const size_t now = mallinfo2().uordblks + mallinfo2().hblkhd;
    most = std::max(most, now - std::min(now, before));
  }
  EXPECT_EQ(read, kPartitions * kRecords);
  EXPECT_LT(most, kPrefetch);
}

// The order by time must hold although no partition has many records ready at once.
TEST_F(RealSource, APartitionThatIsBehindIsWaitedFor) {
  constexpr int32_t kRecords = 30'000;
  options_.prefetch_bytes_max = 1 << 20;
  std::vector<InputAssignment> inputs;
  for (int32_t partition = 0; partition < 3; ++partition) {
    TestRecord record = Record(std::string(200, 'v'));
    record.timestamp_ms += (2 - partition) * 1'000'000;
    Write(options_.brokers, topic_, partition, std::vector<TestRecord>(kRecords, record));
    inputs.push_back({static_cast<uint32_t>(partition), {topic_, partition}, 0});
  }
  auto source = NewKafkaSource(options_, {});
  ASSERT_OK(source);
  source_ = std::move(source).value();
  // The source waits half a second for records that are on their way. On a busy machine they may
  // take longer, so the order may need another try.
  bool sorted = false;
  for (int tries = 0; !sorted && tries < 10; ++tries) {
    ASSERT_OK(source_->Assign(inputs));
    AwaitRecordsInAll();
    std::vector<int64_t> times;
    for (const Message& message : Drain(2000)) times.push_back(message.timestamp_ms);
    ASSERT_EQ(times.size(), 3U * kRecords);
    sorted = std::is_sorted(times.begin(), times.end());
  }
  EXPECT_TRUE(sorted);
}

TEST_F(RealSource, WithoutInputsNothingIsRead) {
  WriteValues(0, 0, 10);
  ASSERT_OK(Assign(0));
  EXPECT_EQ(Drain().size(), 10U);
  ASSERT_OK(source_->Assign({}));
  WriteValues(0, 10, 10);
  std::vector<Message> none;
  ASSERT_OK(source_->Poll(100, 300, none));
  EXPECT_THAT(none, IsEmpty());
  EXPECT_THAT(source_->Status(), IsEmpty());
}

TEST_F(RealSource, SkipsAbortedRecordsAndMarkers) {
  WriteInTransaction(options_.brokers, topic_, 0, {Record("a"), Record("b")}, true);
  WriteInTransaction(options_.brokers, topic_, 0, {Record("aborted")}, false);
  WriteInTransaction(options_.brokers, topic_, 0, {Record("c")}, true);
  ASSERT_OK(Assign(0));
  EXPECT_THAT(Values(Drain()), ElementsAre("a", "b", "c"));
  EXPECT_EQ(source_->Status()[0].lag_records, 0);
}

TEST_F(RealSource, StartOffsetIsTheBeginningOrTheEnd) {
  WriteValues(0, 0, 5);
  const auto earliest = source_->StartOffset({topic_, 0}, StartAt::kEarliest);
  const auto latest = source_->StartOffset({topic_, 0}, StartAt::kLatest);
  ASSERT_OK(earliest);
  ASSERT_OK(latest);
  EXPECT_EQ(*earliest, 0);
  EXPECT_EQ(*latest, 5);
}

TEST_F(RealSource, AtTheEndThePositionPassesControlRecords) {
  WriteInTransaction(options_.brokers, topic_, 0, {Record("a"), Record("b")}, true);
  WriteInTransaction(options_.brokers, topic_, 0, {Record("aborted")}, false);
  ASSERT_OK(Assign(0));
  EXPECT_THAT(Values(Drain()), ElementsAre("a", "b"));
  EXPECT_EQ(source_->Status()[0].next_offset, 5);
}

TEST_F(RealSource, AnOffsetThatNoLongerExistsIsATroubleThatLeavesOtherInputsAlone) {
  WriteValues(1, 0, 5);
  WriteValues(2, 0, 5);
  const std::vector<InputAssignment> inputs = {{7, {topic_, 1}, 2}, {8, {topic_, 2}, 1000}};
  ASSERT_OK(source_->Assign(inputs));
  std::vector<Message> seen;
  const auto gone = [&] { return source_->Status()[1].trouble == InputTrouble::kOffsetGone; };
  for (int polls = 0; polls < 300 && (seen.size() < 3 || !gone()); ++polls) {
    ASSERT_OK(source_->Poll(10, 100, seen));
  }
  EXPECT_THAT(Values(seen), ElementsAre("2", "3", "4"));
  EXPECT_TRUE(gone());
  EXPECT_FALSE(source_->Status()[1].at_end);
  EXPECT_EQ(source_->Status()[1].next_offset, 1000);
  ASSERT_OK(Assign(3, 2));
  EXPECT_THAT(Values(Drain()), ElementsAre("3", "4"));
}

TEST_F(RealSource, ATopicThatIsDeletedIsNotFoundAndItsReaderCanBeDestroyed) {
  WriteValues(0, 0, 1);
  ASSERT_OK(Assign(0));
  EXPECT_THAT(Values(Drain()), ElementsAre("0"));
  ASSERT_OK(DropTopic(options_, topic_));
  std::vector<Message> none;
  Result<FoundInputs> found = source_->Find();
  for (int polls = 0; polls < 300 && found.ok() && found->missing_topics.empty(); ++polls) {
    ASSERT_OK(source_->Poll(10, 100, none));
    found = source_->Find();
  }
  ASSERT_OK(found);
  EXPECT_THAT(found->partitions, IsEmpty());
  EXPECT_THAT(found->missing_topics, ElementsAre(topic_));
  EXPECT_THAT(none, IsEmpty());
  source_.reset();
}

// The records of partition 0 are older than the records of partition 1, except the first.
TEST_F(RealSource, ATimestampInTheFutureDoesNotKeepTheRecordsBehindItBack) {
  const auto at = [](int64_t timestamp_ms, const std::string& value) {
    TestRecord record = Record(value);
    record.timestamp_ms = timestamp_ms;
    return record;
  };
  Write(options_.brokers, topic_, 0,
        {at(4'102'444'800'000, "future"), at(1'700'000'000'000, "a"), at(1'700'000'000'001, "b")});
  Write(options_.brokers, topic_, 1, {at(1'700'000'000'002, "c"), at(1'700'000'000'003, "d")});
  const std::vector<InputAssignment> inputs = {{0, {topic_, 0}, 0}, {1, {topic_, 1}, 0}};
  ASSERT_OK(source_->Assign(inputs));
  AwaitRecordsInAll();
  ASSERT_TRUE(AllHaveRecords());
  // An answer over the same connection: records fetched before it are in the queues now.
  ASSERT_OK(source_->Find());
  EXPECT_THAT(Values(Drain()), ElementsAre("future", "a", "b", "c", "d"));
}

}  // namespace
}  // namespace neardup
