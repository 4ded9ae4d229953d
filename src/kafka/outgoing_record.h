// A record in the form the producer takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kafka/handle.h"
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

}  // namespace neardup
