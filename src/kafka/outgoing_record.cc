#include "kafka/outgoing_record.h"

#include <array>
#include <vector>

#include "kafka/client_error.h"

namespace neardup {
namespace {

// A view of no bytes may be null; to the library null means that there is no value.
void* Bytes(std::string_view view) {
  return const_cast<char*>(view.data() == nullptr ? "" : view.data());
}

/// The producer takes 0 for "now" and offers no other way to say 1970 (rd_kafka_msg_new0 in
/// librdkafka's rdkafka_msg.c): a millisecond later is as near as it gets.
int64_t Sendable(int64_t timestamp_ms) { return timestamp_ms == 0 ? 1 : timestamp_ms; }

rd_kafka_vu_t Part(rd_kafka_vtype_t type) {
  rd_kafka_vu_t part{};
  part.vtype = type;
  return part;
}

rd_kafka_vu_t Part(rd_kafka_vtype_t type, const std::optional<std::string_view>& bytes) {
  rd_kafka_vu_t part = Part(type);
  if (bytes) part.u.mem = {Bytes(*bytes), bytes->size()};
  return part;
}

Result<void> Append(const std::vector<HeaderView>& headers, rd_kafka_headers_t* into) {
  for (const HeaderView& header : headers) {
    const std::string_view value = header.value.value_or(std::string_view());
    const auto code = rd_kafka_header_add(into, static_cast<const char*>(Bytes(header.name)),
                                          static_cast<ssize_t>(header.name.size()),
                                          header.value ? Bytes(value) : nullptr,
                                          static_cast<ssize_t>(value.size()));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return FromKafka(code, "adding a header");
  }
  return {};
}

}  // namespace

Result<OutgoingRecord> Outgoing(const RoutedRecord& record, rd_kafka_topic_t* topic, void* tag) {
  const Message& message = record.message;
  OutgoingRecord outgoing;
  outgoing.topic = topic;
  outgoing.partition = record.input.partition;
  outgoing.timestamp_ms = Sendable(message.timestamp_ms);
  outgoing.tag = tag;
  const size_t own = record.by_reference ? 0 : message.headers.size();
  if (own + record.headers.size() > 0) {
    outgoing.headers.reset(rd_kafka_headers_new(own + record.headers.size()));
  }
  if (!record.by_reference) {
    outgoing.key = message.key;
    outgoing.value = message.value;
    NEARDUP_TRY(Append(message.headers, outgoing.headers.get()));
  } else if (record.verdict.reason == Reason::kUndeliverable) {
    outgoing.timestamp_ms = 0;  // the record's own may be what was refused
  }
  NEARDUP_TRY(Append(record.headers, outgoing.headers.get()));
  return outgoing;
}

rd_kafka_resp_err_t Send(rd_kafka_t* producer, OutgoingRecord& record) {
  std::array<rd_kafka_vu_t, 8> parts = {Part(RD_KAFKA_VTYPE_RKT),
                                        Part(RD_KAFKA_VTYPE_PARTITION),
                                        Part(RD_KAFKA_VTYPE_MSGFLAGS),
                                        Part(RD_KAFKA_VTYPE_KEY, record.key),
                                        Part(RD_KAFKA_VTYPE_VALUE, record.value),
                                        Part(RD_KAFKA_VTYPE_TIMESTAMP),
                                        Part(RD_KAFKA_VTYPE_OPAQUE),
                                        Part(RD_KAFKA_VTYPE_HEADERS)};
  parts[0].u.rkt = record.topic;
  parts[1].u.i32 = record.partition;
  parts[2].u.i = RD_KAFKA_MSG_F_COPY;
  parts[5].u.i64 = record.timestamp_ms;
  parts[6].u.ptr = record.tag;
  parts[7].u.headers = record.headers.get();
  const size_t count = record.headers ? parts.size() : parts.size() - 1;
  const ErrorHandle refused(rd_kafka_produceva(producer, parts.data(), count));
  if (refused) return rd_kafka_error_code(refused.get());
  static_cast<void>(record.headers.release());  // the producer took them
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace neardup
