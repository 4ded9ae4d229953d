// A broker for tests, and simple clients that share no code with the ports under test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "stream/lane/ports.h"

#define ASSERT_OK(expr)                                              \
  do {                                                               \
    const auto& result_of_expr = (expr);                             \
    ASSERT_TRUE(result_of_expr.ok()) << result_of_expr.error().text; \
  } while (false)

namespace neardup {

using Header = std::pair<std::string, std::optional<std::string>>;

struct TestRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<Header> headers = {};
  int64_t timestamp_ms = 1'700'000'000'000;
  int64_t offset = -1;  ///< set by Read

  bool operator==(const TestRecord&) const = default;
};

inline TestRecord Record(const std::string& value) {
  TestRecord record;
  record.value = value;
  return record;
}

/// Address of the cluster the tests run against.
std::string TestBrokers();

/// A name that differs in each call and each run.
std::string FreshName(const std::string& stem);

void CreateTopic(const std::string& brokers, const std::string& topic, int32_t partitions,
                 const std::map<std::string, std::string>& settings = {});
void Write(const std::string& brokers, const std::string& topic, int32_t partition,
           const std::vector<TestRecord>& records);
/// Writes in a transaction with its own id, and commits or aborts it.
void WriteInTransaction(const std::string& brokers, const std::string& topic, int32_t partition,
                        const std::vector<TestRecord>& records, bool commit);
/// A transaction with its own id that writes records, and stays open until this object is
/// destroyed, which aborts it.
class OpenRecords {
 public:
  OpenRecords(const std::string& brokers, const std::string& topic, int32_t partition,
              const std::vector<TestRecord>& records);
  ~OpenRecords();

 private:
  rd_kafka_t* producer_;
};
/// A transaction of a foreign producer that adds an offset to a group, and stays open until this
/// object is destroyed.
class OpenOffsets {
 public:
  OpenOffsets(const std::string& brokers, const std::string& group, const std::string& topic,
              int32_t partition, int64_t offset);
  ~OpenOffsets();

 private:
  rd_kafka_t* producer_;
};
/// The committed offset of a group; -1: none.
int64_t OffsetOfGroup(const std::string& brokers, const std::string& group,
                      const std::string& topic, int32_t partition);
/// Members of a group that is stable; -1 while it rebalances, or if it does not exist yet.
int GroupMembers(const std::string& brokers, const std::string& group);
/// Waits until no transaction is open in the partition. The broker answers a commit before it
/// writes the markers.
void AwaitNothingOpen(const std::string& brokers, const std::string& topic, int32_t partition);
/// All records up to the end that this isolation level shows now.
std::vector<TestRecord> Read(const std::string& brokers, const std::string& topic,
                             int32_t partition, const std::string& isolation = "read_committed");
/// Only their values.
std::vector<std::string> ReadValues(const std::string& brokers, const std::string& topic,
                                    int32_t partition,
                                    const std::string& isolation = "read_committed");

/// Options with a fresh app and one fresh input topic.
KafkaOptions FreshOptions(const std::string& brokers);

/// The message that a source would deliver. `record` must outlive it.
Message AsMessage(const TestRecord& record, const Position& position);

}  // namespace neardup
