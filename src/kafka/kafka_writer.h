// A record in the form the producer takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kafka/handle.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/message.h"

namespace neardup {

/// Borrows its key and value; owns its headers until they are sent.
struct OutgoingRecord {
  rd_kafka_topic_t* topic = nullptr;
  int32_t partition = 0;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  HeadersHandle headers;
  /// 0: now.
  int64_t timestamp_ms = 0;
  /// Comes back with a failed delivery.
  void* tag = nullptr;
};

/// `tag` comes back if the delivery fails.
Result<OutgoingRecord> Outgoing(const RoutedRecord& record, rd_kafka_topic_t* topic, void* tag);

/// Hands a copy of the record to the producer; may be called again after an error.
rd_kafka_resp_err_t Send(rd_kafka_t* producer, OutgoingRecord& record);

// Writes records outside of transactions: demonstrations and tests fill their topics with it.

/// Idempotent: within a partition records stand in the order of Write, each once. One thread.
class KafkaWriter {
 public:
  /// Builds the client; does not wait for a broker.
  static Result<std::unique_ptr<KafkaWriter>> New(const KafkaOptions& options, KafkaLog log);
  /// What was not flushed may be lost.
  ~KafkaWriter();
  KafkaWriter(const KafkaWriter&) = delete;
  KafkaWriter& operator=(const KafkaWriter&) = delete;

  /// Takes a copy of key, value, headers and timestamp (-1, and 0 too: the time of writing). Waits
  /// while the bound of records in flight is reached. Returns the first failed delivery so far.
  Result<void> Write(const std::string& topic, int32_t partition, const Message& message);
  /// Waits for all deliveries, six times answer_timeout_ms at most, and returns the first that
  /// failed. After an error the writer is of no more use.
  Result<void> Flush();

 private:
  struct Parts;
  explicit KafkaWriter(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
