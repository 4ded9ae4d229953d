#include "kafka/producer.h"

#include <fmt/format.h>

#include <array>

namespace neardup {
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
