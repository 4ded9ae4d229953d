#include "kafka/transaction_calls.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <chrono>
#include <optional>

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

void TransactionFailure::TransactionBegins() {
  const std::lock_guard<std::mutex> lock(mutex_);
  of_transaction_.clear();
  of_partition_.clear();
}

void TransactionFailure::Logged(std::string_view facility, std::string_view text) {
  const bool about_partition = facility == "ADDPARTS";
  if (!about_partition && facility != "TXNERR") return;
  if (text.starts_with("[thrd:")) {
    text.remove_prefix(std::min(text.find("]: ") + 3, text.size()));
  }
  // The broker refuses the other partitions of the request without a reason of their own.
  const char* const not_tried = rd_kafka_err2str(RD_KAFKA_RESP_ERR_OPERATION_NOT_ATTEMPTED);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (about_partition && text.find(not_tried) == text.npos) of_partition_ = text;
  if (!about_partition) of_transaction_ = text;
}

std::string TransactionFailure::Text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return of_partition_.empty() ? of_transaction_ : of_partition_;
}

namespace {

struct Kind {
  int16_t api_key;  ///< in Kafka's protocol
  std::string_view name;
  bool harms_after_commit;
};

constexpr std::array<Kind, 5> kKindRows = {{
    {0, "Produce", false},
    {24, "AddPartitionsToTxn", false},
    {25, "AddOffsetsToTxn", false},
    {26, "EndTxn", true},
    {28, "TxnOffsetCommit", true},
}};

std::string Text(std::string_view kind) {
  return fmt::format(
      "a connection broke before the broker had answered a request of the last transaction ({}). "
      "The request may still arrive, and would then change the next transaction",
      kind);
}

}  // namespace

void UnansweredRequests::Watch(rd_kafka_conf_t* conf) {
  rd_kafka_conf_interceptor_add_on_new(conf, "neardup", Made, this);
}

rd_kafka_resp_err_t UnansweredRequests::Made(rd_kafka_t* client, const rd_kafka_conf_t*, void* self,
                                             char*, size_t) {
  // The library calls this also when it gives up waiting for an answer: the connection broke, or
  // the time was over. It sends the request again only after that. Requests that it gives up
  // before it sends them count as well, because the library does not tell them apart.
  return rd_kafka_interceptor_add_on_response_received(
      client, "neardup",
      [](rd_kafka_t*, int, const char*, int32_t, int16_t api_key, int16_t, int32_t, size_t, int64_t,
         rd_kafka_resp_err_t error, void* requests) {
        if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
          static_cast<UnansweredRequests*>(requests)->Lose(api_key);
        }
        return RD_KAFKA_RESP_ERR_NO_ERROR;
      },
      self);
}

void UnansweredRequests::Lose(int16_t api_key) {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (kKindRows[kind].api_key == api_key) ++unanswered_[kind];
  }
}

void UnansweredRequests::StartTransaction() {
  for (size_t kind = 0; kind < kKinds; ++kind) before_[kind] = unanswered_[kind];
}

std::string UnansweredRequests::LateAfterCommit() const {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (kKindRows[kind].harms_after_commit && HasUnanswered(kind))
      return Text(kKindRows[kind].name);
  }
  return {};
}

std::string UnansweredRequests::LateAfterAbort() const {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (HasUnanswered(kind)) return Text(kKindRows[kind].name);
  }
  return {};
}

namespace {

constexpr size_t kAbandonedMax = 4;
constexpr std::chrono::seconds kLastWait(1);
constexpr std::chrono::milliseconds kBetweenChecks(300);

}  // namespace

BoundedCalls::~BoundedCalls() {
  const auto deadline = std::chrono::steady_clock::now() + kLastWait;
  for (Abandoned& call : abandoned_) {
    if (call.answer.wait_until(deadline) != std::future_status::ready) call.thread->Abandon();
  }
}

Result<ErrorHandle> BoundedCalls::AwaitAnswer(std::future<ErrorHandle> answer, int timeout_ms,
                                              const std::string& doing, const Check& check) {
  const std::chrono::milliseconds bound(timeout_ms + grace_ms_);
  const auto deadline = std::chrono::steady_clock::now() + bound;
  std::optional<Error> why;
  while (!why) {
    const auto next = std::chrono::steady_clock::now() + kBetweenChecks;
    if (answer.wait_until(check ? std::min(next, deadline) : deadline) ==
        std::future_status::ready) {
      return answer.get();
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      why = Retriable(ErrorCode::kUnavailable,
                      fmt::format("{}: no answer for {} s", doing, bound.count() / 1000));
    } else if (const Result<void> checked = check(); !checked.ok()) {
      why = checked.error();
    }
  }
  abandoned_.push_back({std::move(answer), std::exchange(thread_, std::make_unique<Thread>())});
  DropFinished();
  if (abandoned_.size() < kAbandonedMax) return *why;
  return Fatal(ErrorCode::kUnavailable,
               fmt::format("{}, and {} earlier calls hang, too; start the process again", why->text,
                           abandoned_.size() - 1));
}

void BoundedCalls::DropFinished() {
  std::erase_if(abandoned_, [](Abandoned& call) {
    return call.answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
}

}  // namespace neardup
