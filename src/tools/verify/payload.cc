#include "verify/payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/hash.h"
#include "verify/ledger.h"

namespace neardup {

namespace {

void Append(const std::optional<std::string_view>& part, std::string& bytes) {
  bytes += part ? std::to_string(part->size()) : "-";
  bytes += ':';
  if (part) bytes += *part;
}

/// A dead letter by reference (too large or undeliverable) consists only of our header, and this
/// lane writes none.
bool IsByReference(const Message& message, Route route) {
  return route == Route::kDeadLetter && !message.key && !message.value && message.headers.empty();
}

}  // namespace

uint64_t PayloadAudit::KeyOf(int32_t partition, const Message& message) {
  // Kafka's C client cannot send the timestamp 0; such a record may leave with 1.
  const int64_t timestamp_ms = message.timestamp_ms == 0 ? 1 : message.timestamp_ms;
  bytes_ = std::to_string(partition) + ' ' + std::to_string(timestamp_ms) + ' ';
  Append(message.key, bytes_);
  Append(message.value, bytes_);
  for (const HeaderView& header : message.headers) {
    Append(header.name, bytes_);
    Append(header.value, bytes_);
  }
  return Hash64(bytes_);
}

std::string PayloadAudit::PlaceOf(const Equals& equals) const {
  return PositionText(places_[equals.place], equals.offset);
}

void PayloadAudit::AddInput(const InputPartition& place, const Message& message, bool demanded) {
  const auto [found, first] = records_.try_emplace(KeyOf(place.partition, message));
  Equals& equals = found->second;
  if (first) {
    const auto [number, added] =
        place_numbers_.emplace(place, static_cast<uint32_t>(places_.size()));
    if (added) places_.push_back(place);
    equals.place = number->second;
    equals.offset = message.position.offset;
  }
  ++equals.allowed;
  if (!demanded) return;
  ++equals.demanded;
  ++report_.inputs;
  ++report_[AuditCheck::kCoverage].looked_at;
}

void PayloadAudit::AddOutput(const InputPartition& place, const Message& message, Route route) {
  uint64_t& sum = route == Route::kUnique      ? report_.unique
                  : route == Route::kDuplicate ? report_.duplicates
                                               : report_.dead_letters;
  ++sum;
  const auto found = records_.find(KeyOf(place.partition, message));
  if (found != records_.end() && found->second.found < found->second.allowed) {
    ++found->second.found;
    ++report_[AuditCheck::kPayload].looked_at;
    return;
  }
  if (IsByReference(message, route)) {
    ++unmatched_[place.partition].by_reference;
    return;
  }
  if (deleted_.contains(place.partition)) {
    ++report_.outputs_without_input;
    return;
  }
  ++report_[AuditCheck::kPayload].looked_at;
  const std::string where = PositionText(place, message.position.offset);
  if (found == records_.end()) {
    report_.Add(AuditCheck::kPayload, where,
                "is not in the inputs: no record of this partition has its key, value, headers "
                "and timestamp");
  } else {
    report_.Add(
        AuditCheck::kCoverage, where,
        fmt::format("occurs more often in the outputs than in the inputs, where it is at {}",
                    PlaceOf(found->second)));
  }
}

AuditReport PayloadAudit::Finish() {
  for (const auto& [key, equals] : records_) {
    Unmatched& unmatched = unmatched_[places_[equals.place].partition];
    unmatched.allowed += equals.allowed - equals.found;
    for (uint32_t n = equals.found; n < equals.demanded; ++n) unmatched.missing.push_back(&equals);
  }
  for (auto& [partition, unmatched] : unmatched_) {
    std::vector<const Equals*>& missing = unmatched.missing;
    std::sort(missing.begin(), missing.end(), [this](const Equals* a, const Equals* b) {
      return std::tie(places_[a->place], a->offset) < std::tie(places_[b->place], b->offset);
    });
    for (size_t i = unmatched.by_reference; i < missing.size(); ++i) {
      report_.Add(AuditCheck::kCoverage, PlaceOf(*missing[i]),
                  unmatched.by_reference == 0
                      ? "is in no output"
                      : fmt::format("this record or one before it is in no output; {} of this "
                                    "partition are dead letters by reference",
                                    unmatched.by_reference));
    }
    if (unmatched.by_reference > unmatched.allowed) {
      report_.Add(
          AuditCheck::kCoverage, fmt::format("partition {}", partition),
          fmt::format("has {} dead letters by reference, but only {} records that are in no "
                      "output",
                      unmatched.by_reference, unmatched.allowed));
    }
  }
  return std::move(report_);
}

}  // namespace neardup
