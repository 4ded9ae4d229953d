#include "kafka/refusals.h"

#include <fmt/format.h>

#include <utility>

namespace neardup {
namespace {

// The high bits of a tag number the transaction; the low bits number its records, from 1.
constexpr int kRecordBits = 40;
constexpr uint64_t kRecordMask = (uint64_t{1} << kRecordBits) - 1;
constexpr uint64_t kTransactionMask = (uint64_t{1} << (64 - kRecordBits)) - 1;
static_assert(sizeof(void*) == sizeof(uint64_t), "a tag needs 64 bits");

}  // namespace

bool Refusals::IsContentRefused(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || code == RD_KAFKA_RESP_ERR_INVALID_MSG ||
         code == RD_KAFKA_RESP_ERR_INVALID_RECORD || code == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP ||
         code == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE ||
         code == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE;
}

void Refusals::StartTransaction() {
  transaction_ = (transaction_ + 1) & kTransactionMask;
  in_flight_.clear();
  refused_.clear();
}

void* Refusals::Tag(const Position& position, bool alone) {
  in_flight_.push_back({position, alone});
  // The library never follows the pointer.
  return reinterpret_cast<void*>((transaction_ << kRecordBits) | in_flight_.size());
}

void Refusals::Report(void* tag, rd_kafka_resp_err_t code) {
  const auto number = reinterpret_cast<uint64_t>(tag);
  const uint64_t record = number & kRecordMask;
  if (number >> kRecordBits != transaction_ || record == 0 || record > in_flight_.size()) {
    return;
  }
  if (!IsContentRefused(code)) return;
  const auto [position, alone] = in_flight_[record - 1];
  // A record that shared its batch may be innocent.
  const bool too_large = code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE && alone;
  refused_.push_back({position, too_large ? Reason::kTooLarge : Reason::kUndeliverable,
                      fmt::format("the broker refuses it: {}", rd_kafka_err2str(code))});
}

void Refusals::ReportTooLarge(const Position& position, const std::string& text) {
  refused_.push_back({position, Reason::kTooLarge, text});
}

std::vector<Transaction::Refusal> Refusals::Take() { return std::exchange(refused_, {}); }

}  // namespace neardup
