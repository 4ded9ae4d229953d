#include "kafka/refusals.h"

#include <utility>

namespace neardup {
namespace {

// A tag is the transaction's number above, the record's number in it, from 1, below.
constexpr int kRecordBits = 40;
constexpr uint64_t kRecordMask = (uint64_t{1} << kRecordBits) - 1;
constexpr uint64_t kTransactionMask = (uint64_t{1} << (64 - kRecordBits)) - 1;
static_assert(sizeof(void*) == sizeof(uint64_t), "a tag needs 64 bits");

}  // namespace

bool Refusals::ForItsOwnSake(rd_kafka_resp_err_t code) {
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

void* Refusals::Tag(const Position& position) {
  in_flight_.push_back(position);
  // The library carries the number and never follows it.
  return reinterpret_cast<void*>((transaction_ << kRecordBits) | in_flight_.size());
}

void Refusals::Report(void* tag, rd_kafka_resp_err_t code) {
  const auto number = reinterpret_cast<uint64_t>(tag);
  const uint64_t record = number & kRecordMask;
  if (number >> kRecordBits != transaction_ || record == 0 || record > in_flight_.size()) {
    return;
  }
  if (!ForItsOwnSake(code)) return;
  const Position position = in_flight_[record - 1];
  // Only a record that went alone is known to be the reason itself.
  const bool alone = !suspects_.insert(position).second;
  const bool too_large = code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE && alone;
  refused_.push_back({position, too_large ? Reason::kTooLarge : Reason::kUndeliverable,
                      std::string("the broker refuses it: ") + rd_kafka_err2str(code)});
}

void Refusals::ReportTooLarge(const Position& position, const std::string& text) {
  refused_.push_back({position, Reason::kTooLarge, text});
}

std::vector<Transaction::Refusal> Refusals::Take() { return std::exchange(refused_, {}); }

}  // namespace neardup
