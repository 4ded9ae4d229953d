#include "kafka/outgoing_record.h"

#include <array>

#include "kafka/client.h"
#include "kafka/errors.h"

namespace neardup {
namespace {

// A view of no bytes may be null. To the library, null means that there is no value.
void* Bytes(std::string_view view) {
  return const_cast<char*>(view.data() == nullptr ? "" : view.data());
}

/// The producer reads 0 as "now" and has no other way to say 1970 (rd_kafka_msg_new0 in
/// librdkafka's rdkafka_msg.c). The nearest time it can send is a millisecond later.
int64_t LibraryTimestamp(std::optional<int64_t> timestamp_ms) {
  if (!timestamp_ms) return 0;
  return *timestamp_ms == 0 ? 1 : *timestamp_ms;
}

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

}  // namespace

Result<void> AddHeaders(const std::vector<HeaderView>& headers, OutgoingRecord& record) {
  if (headers.empty()) return {};
  if (!record.headers) record.headers.reset(rd_kafka_headers_new(headers.size()));
  for (const HeaderView& header : headers) {
    const std::string_view value = header.value.value_or(std::string_view());
    const auto code = rd_kafka_header_add(
        record.headers.get(), static_cast<const char*>(Bytes(header.name)),
        static_cast<ssize_t>(header.name.size()), header.value ? Bytes(value) : nullptr,
        static_cast<ssize_t>(value.size()));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return FromKafka(code, "adding a header");
  }
  return {};
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
  parts[2].u.i = record.lends_value ? 0 : RD_KAFKA_MSG_F_COPY;
  parts[5].u.i64 = LibraryTimestamp(record.timestamp_ms);
  parts[6].u.ptr = record.tag;
  parts[7].u.headers = record.headers.get();
  const size_t count = record.headers ? parts.size() : parts.size() - 1;
  const ErrorHandle refused(rd_kafka_produceva(producer, parts.data(), count));
  if (refused) return rd_kafka_error_code(refused.get());
  static_cast<void>(record.headers.release());  // the producer took them
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

}  // namespace neardup
