#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "audit/completeness.h"
#include "audit/verdicts.h"
#include "base/hash.h"

namespace neardup {

namespace {

/// With fewer records behind their turn, something else may have happened than a second lane.
constexpr uint64_t kBehindMin = 10;

uint64_t Digest(const std::optional<std::string_view>& bytes) {
  constexpr uint64_t kNullSeed = 1;
  return bytes ? Hash64(*bytes) : Hash64({}, kNullSeed);
}

bool MayBeByReference(Reason reason) {
  return reason == Reason::kTooLarge || reason == Reason::kUndeliverable;
}

void CopyStated(const ParsedHeader& header, int64_t output_offset, AuditRow& row) {
  row.covered = true;
  row.decision = header.decision();
  row.stated_reason = header.reason;
  row.stated_passed = header.passed;
  row.late = header.late;
  row.clamped = header.clamped;
  row.seq = header.seq;
  row.output_offset = output_offset;
}

}  // namespace

Audit::Audit(const AuditOptions& options)
    : options_(options),
      chosen_(ChooseScheme(options.filter.scheme).value()),
      fingerprinter_(options.filter) {}

uint32_t Audit::AddPartition(const AuditedInput& input) {
  assert(ledger_.Find(input.partition) == AuditLedger::kNoInput);
  AuditPartition partition;
  partition.partition = input.partition;
  partition.begin = input.begin;
  partition.end = input.end;
  partition.topics = {input.unique_topic, input.duplicate_topic, input.dead_letter_topic};
  return ledger_.AddPartition(std::move(partition));
}

void Audit::AddInput(const Message& message) {
  AuditPartition& partition = ledger_.partitions()[message.position.input];
  assert(partition.rows.empty() || partition.rows.back().offset < message.position.offset);
  if (message.position.offset < partition.begin || message.position.offset >= partition.end) return;
  partition.rows.push_back(Recompute(message, 0, 0));
  ++report_.inputs;
}

AuditRow Audit::Recompute(const Message& message, size_t first_left_out, size_t count_left_out) {
  const FingerprintedRecord record =
      fingerprinter_.Compute({message.position, message.timestamp_ms, message.value});
  header_bytes_.clear();
  auto append = [this](std::string_view bytes) {
    header_bytes_ += std::to_string(bytes.size());
    header_bytes_ += ':';
    header_bytes_ += bytes;
  };
  for (size_t i = 0; i < message.headers.size(); ++i) {
    if (i >= first_left_out && i < first_left_out + count_left_out) continue;
    append(message.headers[i].name);
    if (message.headers[i].value) append(*message.headers[i].value);
    header_bytes_ += ';';
  }
  AuditRow row;
  row.offset = message.position.offset;
  row.timestamp_ms = message.timestamp_ms;
  row.time_ms = record.outcome.time_ms;
  row.digest = {Digest(message.key), Digest(message.value), Hash64(header_bytes_)};
  row.fingerprint = record.fingerprint;
  row.text_keys = record.text_keys;
  row.sketch = record.sketch;
  row.features = record.features;
  row.reason = record.outcome.reason;
  row.passed = record.outcome.passed;
  return row;
}

void Audit::AddOutput(const InputPartition& place, const Message& message) {
  const std::string where = PositionText(place, message.position.offset);
  const Result<ParsedHeader> parsed = ParseRouteHeader(message.headers);
  const auto count = [this](AuditCheck check) { ++report_[check].looked_at; };
  count(AuditCheck::kHeader);
  if (!parsed.ok()) {
    report_.Add(AuditCheck::kHeader, where, parsed.error().text);
    return;
  }
  const ParsedHeader& header = *parsed;
  CheckOneLane(place, header.seq, where);
  const uint32_t input = ledger_.Find(header.origin);
  if (input == AuditLedger::kNoInput) {
    report_.Add(AuditCheck::kCoverage, where,
                fmt::format("names the origin {}, which is in no input partition",
                            PositionText(header.origin, header.origin_offset)));
    return;
  }
  if (header.origin_offset >= ledger_.partitions()[input].end) {
    ++report_.newer_outputs;
    return;
  }
  const AuditRow output = Recompute(message, header.first, header.count);
  AuditRow* row = CoveredRow(input, header, output, where);
  if (row == nullptr) return;
  CopyStated(header, message.position.offset, *row);
  if (header.original) {
    row->original_input = ledger_.Find(header.original->partition);
    row->original_offset = header.original->offset;
    row->distance = header.original->distance;
    row->kind = header.original->kind;
  }
  const bool same_settings = header.seq >= options_.settings_seq;
  if (same_settings && header.fingerprint && *header.fingerprint != row->fingerprint) {
    report_.Add(AuditCheck::kHeader, where, "states another fingerprint than its payload has");
  }
  const bool by_reference = !message.key && !message.value && MayBeByReference(header.reason);
  CheckPayload(*row, output, by_reference, where);
  if (CheckRoute(input, header.decision(), place, where)) {
    CheckOrder(input, header.decision(), header.origin_offset, where);
  }
}

void Audit::CheckOneLane(const InputPartition& place, uint64_t seq, const std::string& where) {
  uint64_t& newest = newest_seq_[place];
  if (seq <= newest && ++behind_ == kBehindMin) {
    report_.cause = fmt::format(
        "the outputs hold records of more than one lane: seq {} at {} comes behind seq {}. Another "
        "app writes to the same topics, or this app was started again and wrote the records again. "
        "Give every app its own output topics; to change settings, use `neardup reindex`",
        seq, where, newest);
  }
  newest = std::max(newest, seq);
}

AuditRow* Audit::CoveredRow(uint32_t input, const ParsedHeader& header, const AuditRow& output,
                            const std::string& where) {
  AuditPartition& partition = ledger_.partitions()[input];
  const std::string origin = ledger_.Origin(input, header.origin_offset);
  AuditRow* row = ledger_.Row(input, header.origin_offset);
  if (row == nullptr && header.origin_offset < partition.begin) {
    row = &partition.deleted.emplace(header.origin_offset, output).first->second;
    row->offset = header.origin_offset;
    row->input_deleted = true;
    ++report_.outputs_without_input;
  }
  if (row == nullptr) {
    report_.Add(AuditCheck::kCoverage, where,
                fmt::format("names the origin {}, where there is no record", origin));
    return nullptr;
  }
  if (row->covered) {
    report_.Add(AuditCheck::kCoverage, where,
                fmt::format("repeats the record of origin {}, which is already at {}", origin,
                            ledger_.Place(input, *row)));
    return nullptr;
  }
  return row;
}

void Audit::CheckPayload(const AuditRow& input, const AuditRow& output, bool by_reference,
                         const std::string& where) {
  if (by_reference || input.input_deleted) return;
  ++report_[AuditCheck::kPayload].looked_at;
  const auto differs = [&](const char* part) {
    report_.Add(AuditCheck::kPayload, where, fmt::format("its {} not as in the input", part));
  };
  if (input.digest.key != output.digest.key) differs("key is");
  if (input.digest.value != output.digest.value) differs("value is");
  if (input.digest.headers != output.digest.headers) differs("own headers are");
  // Kafka's C client cannot send the timestamp 0; such a record may leave with 1.
  const bool became_one = input.timestamp_ms == 0 && output.timestamp_ms == 1;
  if (input.timestamp_ms != output.timestamp_ms && !became_one) {
    report_.Add(AuditCheck::kPayload, where,
                fmt::format("its timestamp is {}, in the input it is {}", output.timestamp_ms,
                            input.timestamp_ms));
  }
}

bool Audit::CheckRoute(uint32_t input, Decision decision, const InputPartition& place,
                       const std::string& where) {
  ++report_[AuditCheck::kRoute].looked_at;
  const AuditPartition& partition = ledger_.partitions()[input];
  const std::string& topic = partition.topics[static_cast<size_t>(decision)];
  if (place.topic != topic) {
    report_.Add(AuditCheck::kRoute, where,
                fmt::format("is decided {} and belongs to topic {}", Name(decision), topic));
    return false;
  }
  if (place.partition != partition.partition.partition) {
    report_.Add(AuditCheck::kRoute, where,
                fmt::format("comes from partition {} of its input, and belongs to the same "
                            "partition of the output",
                            partition.partition.partition));
    return false;
  }
  return true;
}

void Audit::CheckOrder(uint32_t input, Decision decision, int64_t origin_offset,
                       const std::string& where) {
  AuditPartition& partition = ledger_.partitions()[input];
  const std::string& topic = partition.topics[static_cast<size_t>(decision)];
  const auto slot =
      static_cast<size_t>(std::find(partition.topics.begin(), partition.topics.end(), topic) -
                          partition.topics.begin());
  int64_t& last = partition.last_offset[slot];
  ++report_[AuditCheck::kOrder].looked_at;
  if (origin_offset < last) {
    report_.Add(AuditCheck::kOrder, where,
                fmt::format("origin {} comes behind offset {} of the same partition",
                            ledger_.Origin(input, origin_offset), last));
  }
  last = std::max(last, origin_offset);
}

AuditReport Audit::Finish() {
  const std::vector<AuditRef> by_seq = CheckVerdicts(options_, chosen_, ledger_, report_);
  CheckCompleteness(options_, chosen_, ledger_, by_seq, report_);
  return std::move(report_);
}

}  // namespace neardup
