// Writes records outside of transactions, for demonstrations and tests that fill topics.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kafka/kafka_options.h"
#include "lane/message.h"
#include "neardup/result.h"

namespace neardup {

class TopicProducer;

/// Idempotent: each record stands once in its partition, in the order of the calls of Write. One
/// thread.
class KafkaWriter {
 public:
  /// Makes the client; does not wait for a broker. Records that were not flushed when the writer is
  /// destroyed may be lost.
  static Result<std::unique_ptr<KafkaWriter>> New(const KafkaOptions& options, const KafkaLog& log);
  ~KafkaWriter();
  /// Takes a copy of key, value, headers and timestamp; a timestamp of -1 becomes the time of
  /// writing. Waits while the bound of records in flight is reached. May return the failed delivery
  /// of an earlier record.
  Result<void> Write(const std::string& topic, int32_t partition, const Message& message);
  /// Waits for all deliveries, at most six times answer_timeout_ms, and returns the first that
  /// failed. After an error the writer cannot be used any more.
  Result<void> Flush();

 private:
  explicit KafkaWriter(std::unique_ptr<TopicProducer> producer);
  std::unique_ptr<TopicProducer> producer_;
};

}  // namespace neardup
