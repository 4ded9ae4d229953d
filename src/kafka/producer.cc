#include "kafka/producer.h"

#include <fmt/format.h>

#include <array>

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

namespace {

constexpr int kFlushSliceMs = 100;
// rd_kafka_flush looks every 10 ms whether all records are delivered, and once more at its end. A
// shorter call ends closer to the delivery.
constexpr int kDeliveredPeriodMs = 1;
// A successful delivery does not end a wait of the library, so slices are short while its queue is
// full.
constexpr int kFullSliceMs = 1;
// The reports are read at least once in this number of records.
constexpr uint32_t kRecordsPerReading = 1000;

}  // namespace

Result<void> Producer::ReadReports(int timeout_ms) {
  rd_kafka_poll(client_->get(), timeout_ms);
  return failed_();
}

Result<rd_kafka_resp_err_t> Producer::Send(OutgoingRecord& record, int timeout_ms) {
  if (++sent_ % kRecordsPerReading == 0) NEARDUP_TRY(ReadReports(0));
  rd_kafka_resp_err_t code = neardup::Send(client_->get(), record);
  if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) return code;
  const Deadline deadline(timeout_ms);
  while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !deadline.passed()) {
    NEARDUP_TRY(ReadReports(deadline.left_ms(kFullSliceMs)));
    code = neardup::Send(client_->get(), record);
  }
  return code;
}

Result<bool> Producer::FlushSlice(const Deadline& deadline) {
  const Deadline slice(deadline.left_ms(kFlushSliceMs));
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  do {
    code = rd_kafka_flush(client_->get(), kDeliveredPeriodMs);
  } while (code == RD_KAFKA_RESP_ERR__TIMED_OUT && !slice.passed());
  NEARDUP_TRY(ReadReports(0));
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
  NEARDUP_TRY(CheckFatal("waiting for deliveries"));
  if (!deadline.passed() && !client_->diagnosis().LoginRefused()) return false;
  return client_->diagnosis().Explain(
      FromKafka(RD_KAFKA_RESP_ERR__TIMED_OUT, "waiting for deliveries",
                fmt::format("{} records are in flight", rd_kafka_outq_len(client_->get()))));
}

Result<void> Producer::Flush(const Deadline& deadline) {
  while (true) {
    NEARDUP_ASSIGN(const bool done, FlushSlice(deadline));
    if (done) return {};
  }
}

Result<void> Producer::CheckFatal(std::string_view doing) const {
  std::array<char, 512> reason{};
  const auto code = rd_kafka_fatal_error(client_->get(), reason.data(), reason.size());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return FromKafka(code, doing, reason.data());
}

}  // namespace neardup
