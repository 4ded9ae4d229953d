// A producer of records for any topics.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kafka/consumer_group.h"
#include "kafka/kafka_options.h"
#include "kafka/producer.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

namespace neardup {

/// Keeps the first failed delivery. Flush returns that error. Write returns it after at most 1,000
/// more records, when it next reads the library's reports. One thread.
class TopicProducer {
 public:
  /// Waiting for room in the library's queue, or for deliveries, may take `timeout_ms`.
  static Result<std::unique_ptr<TopicProducer>> New(const KafkaOptions& options, ClientRole role,
                                                    const KafkaLog& log, int timeout_ms,
                                                    const Properties& extra = {});
  TopicProducer(const TopicProducer&) = delete;
  TopicProducer& operator=(const TopicProducer&) = delete;

  /// Takes a copy of key, value, timestamp and these headers; a timestamp of -1 becomes the time of
  /// writing.
  Result<void> Write(const std::string& topic, int32_t partition, const Message& message,
                     const std::vector<HeaderView>& headers);
  Result<void> Write(const std::string& topic, int32_t partition, const Message& message) {
    return Write(topic, partition, message, message.headers);
  }
  /// Waits for all deliveries.
  Result<void> Flush() { return producer_->Flush(Deadline(timeout_ms_)); }
  /// Repeats a call of the library while the brokers are unavailable.
  template <class Call>
  Result<void> Retry(Call call, const std::string& doing) {
    return producer_->Retry(
        call, Deadline(timeout_ms_), doing, [&](const rd_kafka_error_t& refused) {
          return failed_ ? *failed_ : client_->diagnosis().Explain(FromKafka(refused, doing));
        });
  }

  Client& client() { return *client_; }

 private:
  explicit TopicProducer(int timeout_ms) : timeout_ms_(timeout_ms) {}
  void Report(const rd_kafka_message_t& message);

  int timeout_ms_;
  std::shared_ptr<Client> client_;
  std::map<std::string, TopicHandle> topics_;  ///< freed before their client
  std::optional<Error> failed_;
  std::optional<Producer> producer_;
};

// Writes records into any topics, and moves the offsets of a group, in transactions: for the
// commands of an operator.

/// A partition, and what a group commits for it.
struct GroupProgress {
  InputPartition partition;
  GroupOffset next;
};

/// All writes between Begin and Commit become visible together with the offsets, or none does. An
/// error is final: make a new object, which aborts what is open, and read the group's offsets
/// again; they say what was committed. Also after a commit that left it unusable. One
/// thread.
class TopicTransaction {
 public:
  /// Takes the transactional id: another process that has it cannot write any more.
  static Result<std::unique_ptr<TopicTransaction>> New(const KafkaOptions& options,
                                                       const std::string& transactional_id,
                                                       const KafkaLog& log);
  ~TopicTransaction();
  /// True if a request of the last transaction was not answered. It may reach the broker late, and
  /// would end the next transaction of this object, or change its offsets. So Begin fails; a new
  /// object makes the late request void.
  bool is_spent() const { return !late_request_.empty(); }
  Result<void> Begin();
  /// Takes a copy of the record, without `left_out_count` of its headers from `left_out_first` on.
  Result<void> Write(const InputPartition& to, const Message& message, size_t left_out_first,
                     size_t left_out_count);
  Result<void> Commit(const std::string& group, const std::vector<GroupProgress>& progress);

 private:
  TopicTransaction(std::unique_ptr<TopicProducer> producer, int timeout_ms);

  int timeout_ms_;
  std::unique_ptr<TopicProducer> producer_;
  std::string late_request_;  ///< of the last transaction; empty: none
};

/// Writes records outside of transactions, for demonstrations and tests that fill topics.
/// Idempotent: each record stands once in its partition, in the order of the calls of Write. Makes
/// the client; does not wait for a broker. A call waits at most six times answer_timeout_ms. After
/// an error the writer cannot be used any more. Records that were not flushed when it is destroyed
/// may be lost.
Result<std::unique_ptr<TopicProducer>> NewKafkaWriter(const KafkaOptions& options,
                                                      const KafkaLog& log);

}  // namespace neardup
