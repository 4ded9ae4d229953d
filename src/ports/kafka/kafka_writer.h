// Writes records outside of transactions, for demonstrations and tests that fill topics.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kafka/kafka_options.h"
#include "lane/message.h"
#include "neardup/result.h"

namespace neardup {

/// Idempotent: each record stands once in its partition, in the order of the calls of Write. One
/// thread.
class KafkaWriter {
 public:
  /// Makes the client; does not wait for a broker.
  static Result<std::unique_ptr<KafkaWriter>> New(const KafkaOptions& options, KafkaLog log);
  /// Records that were not flushed may be lost.
  ~KafkaWriter();
  KafkaWriter(const KafkaWriter&) = delete;
  KafkaWriter& operator=(const KafkaWriter&) = delete;

  /// Takes a copy of key, value, headers and timestamp; a timestamp of -1 becomes the time of
  /// writing. Waits while the bound of records in flight is reached. Returns the first failed
  /// delivery so far.
  Result<void> Write(const std::string& topic, int32_t partition, const Message& message);
  /// Waits for all deliveries, at most six times answer_timeout_ms, and returns the first that
  /// failed. After an error the writer cannot be used any more.
  Result<void> Flush();

 private:
  struct Parts;
  explicit KafkaWriter(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace neardup
