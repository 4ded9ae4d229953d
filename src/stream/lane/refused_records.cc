#include "stream/lane/refused_records.h"

#include <fmt/format.h>

#include <utility>

namespace neardup {
namespace {

// Room for our own headers and the framing of a record.
constexpr size_t kHeaderSlackBytes = 1024;

Verdict MakeDeadLetter(Reason reason, std::string error) {
  Verdict verdict;
  verdict.decision = Decision::kDeadLetter;
  verdict.outcome.Fail(reason, std::move(error));
  return verdict;
}

}  // namespace

bool RefusedRecords::Fits(size_t bytes, size_t bytes_max) {
  return bytes + kHeaderSlackBytes <= bytes_max;
}

Result<void> RefusedRecords::Add(const Transaction::Refusal& refusal, const InputPartition& input) {
  const auto [found, first_time] = refused_.try_emplace(refusal.position);
  Refused& refused = found->second;
  if (refused.to_blame) {
    return Fatal(ErrorCode::kConfig,
                 fmt::format("{}/{} offset {}: the dead-letter topic refuses even a reference to "
                             "this record, without its key, value and headers: {}; check the "
                             "settings of that topic",
                             input.topic, input.partition, refusal.position.offset, refusal.text));
  }
  refused.to_blame = !first_time || refusal.reason == Reason::kTooLarge;
  refused.reason = refusal.reason;
  refused.text = refusal.text;
  return {};
}

bool RefusedRecords::IsSuspect(const Position& position) const {
  return !refused_.empty() && refused_.count(position) > 0;
}

std::optional<Verdict> RefusedRecords::DeadLetter(const Position& position, size_t bytes,
                                                  size_t bytes_max) const {
  if (!refused_.empty()) {
    const auto found = refused_.find(position);
    if (found != refused_.end() && found->second.to_blame) {
      return MakeDeadLetter(found->second.reason, found->second.text);
    }
  }
  if (Fits(bytes, bytes_max)) return std::nullopt;
  return MakeDeadLetter(
      Reason::kTooLarge,
      fmt::format("the record has {} bytes; with our headers it does not fit into the {} bytes "
                  "that its output topic takes; raise max.message.bytes of that topic",
                  bytes, bytes_max));
}

void RefusedRecords::DropCommitted(std::span<const int64_t> offsets) {
  std::erase_if(refused_, [offsets](const auto& refused) {
    const Position& position = refused.first;
    return position.offset < offsets[position.input];
  });
}

}  // namespace neardup
