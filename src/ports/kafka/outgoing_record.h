// A record in the form that librdkafka's producer takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kafka/handle.h"
#include "lane/message.h"
#include "neardup/result.h"

namespace neardup {

/// Borrows key and value until Send. Send copies the key, and the value unless `lends_value` is
/// set. Owns copies of its headers.
///
///   OutgoingRecord record{.topic = topic, .partition = 0, .key = key, .value = value};
///   NEARDUP_TRY(AddHeaders(headers, record));
///   const rd_kafka_resp_err_t code = Send(producer, record);
struct OutgoingRecord {
  rd_kafka_topic_t* topic = nullptr;
  int32_t partition = 0;
  std::optional<std::string_view> key{};
  std::optional<std::string_view> value{};
  /// Milliseconds since 1970; nullopt stands for the time of sending. The library cannot send 0,
  /// so a record stamped 0 leaves with 1.
  std::optional<int64_t> timestamp_ms{};
  /// If true, Send does not copy the value. The caller keeps it until the record is delivered or
  /// has failed.
  bool lends_value = false;
  /// Comes back with a failed delivery.
  void* tag = nullptr;
  HeadersHandle headers{};
};

/// Appends copies of `headers` to those of the record.
Result<void> AddHeaders(const std::vector<HeaderView>& headers, OutgoingRecord& record);

/// Hands the record to the producer. May be called again after an error, and only then.
rd_kafka_resp_err_t Send(rd_kafka_t* producer, OutgoingRecord& record);

}  // namespace neardup
