#include "commands/verify/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "commands/verify/completeness.h"
#include "detect/base/hash.h"
#include "service/topics/topic_reading.h"

namespace neardup {

namespace {

/// If fewer records are out of order, a second lane may not be the cause.
constexpr uint64_t kBehindMin = 10;

uint64_t Digest(const std::optional<std::string_view>& bytes) {
  constexpr uint64_t kNullSeed = 1;
  return bytes ? Hash64(*bytes) : Hash64({}, kNullSeed);
}

/// The upper half of a hash.
uint32_t Half(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

/// Every topic takes a record of this size.
constexpr size_t kSmallBytes = 1024;

bool IsByReference(const Message& message, Reason reason) {
  return !message.key && !message.value &&
         (reason == Reason::kTooLarge || reason == Reason::kUndeliverable);
}

}  // namespace

Audit::Audit(const AuditOptions& options)
    : options_(options),
      fingerprinter_(options.filter),
      verdicts_(options_, ledger_, report_),
      groups_(ledger_, report_, options_.part) {
  if (options_.counts_groups) counts_.emplace(ledger_, report_);
}

uint32_t Audit::AddPartition(const AuditedInput& input) {
  assert(ledger_.Find(input.partition) == AuditLedger::kNoInput);
  assert(options_.part || !input.left_out_before);
  AuditPartition partition;
  partition.partition = input.partition;
  partition.begin = input.begin;
  partition.end = input.end;
  partition.left_out_before = input.left_out_before;
  partition.retired = input.retired;
  partition.topics = {input.unique_topic, input.duplicate_topic, input.dead_letter_topic};
  return ledger_.AddPartition(std::move(partition));
}

void Audit::AddInput(const Message& message) {
  AuditPartition& partition = ledger_.partitions()[message.position.input];
  assert(partition.rows.empty() || partition.rows.back().offset < message.position.offset);
  if (message.position.offset < partition.begin || message.position.offset >= partition.end) return;
  AuditRow row;
  row.offset = message.position.offset;
  row.time_ms = message.timestamp_ms;
  row.digest = DigestOf(message, message.key, 0, 0);
  row.small = BytesOf(message) < kSmallBytes;
  partition.rows.Append(row);
  ++report_.inputs;
}

void Audit::AddDeletedOutputs(uint32_t input, Route route) {
  assert(options_.part);
  ledger_.partitions()[input].outputs_kept_from[static_cast<size_t>(route)] = INT64_MAX;
}

PayloadDigest Audit::DigestOf(const Message& message, const std::optional<std::string_view>& key,
                              size_t first_left_out, size_t count_left_out) {
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
  return {Digest(message.value), Half(Digest(key)), Half(Hash64(header_bytes_))};
}

void Audit::AddOutput(const InputPartition& place, const Message& message) {
  const std::string where = TextOf(place, message.position.offset);
  const std::optional<ParsedHeader> header = HeaderOf(message, where);
  if (!header) return;
  CheckOneLane(place, header->seq, where);
  const uint32_t input = InputOf(*header, where);
  if (input == AuditLedger::kNoInput || CountIfLeftOut(input, *header)) return;
  AuditRow* row = CoveredRow(input, *header, message, where);
  if (row == nullptr) return;
  const std::optional<FingerprintedRecord> content =
      CheckContent(input, *header, message, *row, where);
  const FingerprintedRecord* known = content ? &*content : nullptr;
  Cover(*header, known, message.position.offset, *row);
  const bool of_these_settings = header->seq >= options_.settings_seq;
  groups_.Add(input, *row, *header, of_these_settings);
  if (counts_ && row->decision == Decision::kDuplicate) {
    counts_->AddCopy(*header->original, header->seq);
  }
  if (of_these_settings) CheckDecision(input, *header, known, *row, where);
  if (CheckRoute(input, *header, place, where) && !row->moved) {
    CheckOrder(input, header->route(), header->origin_offset, where);
  }
}

std::optional<ParsedHeader> Audit::HeaderOf(const Message& message, const std::string& where) {
  Result<ParsedHeader> parsed = ParseRouteHeader(message.headers);
  ++report_[AuditCheck::kHeader].looked_at;
  if (parsed.ok()) return std::move(*parsed);
  report_.Add(AuditCheck::kHeader, where, parsed.error().text);
  return std::nullopt;
}

uint32_t Audit::InputOf(const ParsedHeader& header, const std::string& where) {
  const uint32_t input = ledger_.Find(header.origin);
  if (input == AuditLedger::kNoInput) {
    report_.Add(AuditCheck::kCoverage, where,
                fmt::format("names the origin {}, which is in no input partition",
                            TextOf(header.origin, header.origin_offset)));
  }
  return input;
}

bool Audit::CountIfLeftOut(uint32_t input, const ParsedHeader& header) {
  AuditPartition& partition = ledger_.partitions()[input];
  int64_t& kept_from = partition.outputs_kept_from[static_cast<size_t>(header.route())];
  kept_from = std::min(kept_from, header.origin_offset);
  if (header.origin_offset >= partition.end) {
    ++report_.newer_outputs;
    LeftOutAfter(header.seq);
    return true;
  }
  if (header.origin_offset >= partition.begin || !partition.left_out_before) return false;
  ++report_.older_outputs;
  return true;
}

std::optional<FingerprintedRecord> Audit::CheckContent(uint32_t input, const ParsedHeader& header,
                                                       const Message& message, const AuditRow& row,
                                                       const std::string& where) {
  const PayloadDigest digest =
      DigestOf(message, header.keyed ? header.own_key : message.key, header.first, header.count);
  // What is the same in input and output need be computed only once, from the output.
  bool known = row.input_deleted;
  const bool by_reference = IsByReference(message, header.reason);
  if (by_reference && header.reason == Reason::kTooLarge && row.small) {
    report_.Add(
        AuditCheck::kPayload, where,
        "has no payload, as if it were too large, but the input record is smaller than 1 KiB");
  }
  if (!row.input_deleted && !by_reference) {
    CheckKey(header, message, where);
    CheckPayload(row, digest, message, where);
    known = digest.value == row.digest.value;
  }
  if (!known) return std::nullopt;
  RecordView record = RecordOf(message, buffer_);
  record.position = {input, header.origin_offset};
  record.time_ms = row.time_ms;
  FingerprintedRecord content = fingerprinter_.Compute(record);
  // The registry may know by now what it did not know when the record was decided, and the other
  // way round.
  const bool schema = header.reason == Reason::kSchema || content.outcome.reason == Reason::kSchema;
  return schema ? std::nullopt : std::optional(std::move(content));
}

void Audit::CheckDecision(uint32_t input, const ParsedHeader& header,
                          const FingerprintedRecord* content, AuditRow& row,
                          const std::string& where) {
  if (content != nullptr && header.fingerprint && *header.fingerprint != content->fingerprint) {
    report_.Add(AuditCheck::kHeader, where, "states another fingerprint than its payload has");
  }
  verdicts_.Check({input, &row, header, content});
}

void Audit::LeftOutAfter(uint64_t seq) { first_left_out_seq_ = std::min(first_left_out_seq_, seq); }

void Audit::Cover(const ParsedHeader& header, const FingerprintedRecord* content,
                  int64_t output_offset, AuditRow& row) {
  const Decision decision = header.decision();
  row.covered = true;
  row.output = {header.seq, output_offset};
  row.decision = decision;
  row.passed = header.passed;
  row.late = header.late;
  row.clamped = header.clamped;
  row.route = header.route();
  row.moved = header.keyed && header.decision() == Decision::kDuplicate;
  report_.replacing += header.replaces ? 1 : 0;
  report_.suspects += header.suspect ? 1 : 0;
  report_.released += header.released ? 1 : 0;
  report_.observed += header.observed ? 1 : 0;
  switch (decision) {
    case Decision::kUnique:
      ++report_.unique;
      break;
    case Decision::kDuplicate:
      ++report_.duplicates;
      break;
    case Decision::kDeadLetter:
      ++report_.dead_letters;
      break;
  }
  row.remembered = decision == Decision::kUnique && !header.passed;
  if (content == nullptr) return;
  row.time_ms = content->outcome.time_ms;
  row.remembered = row.remembered && content->outcome.reason == Reason::kNone;
  if (!row.remembered) return;
  row.content = static_cast<uint32_t>(ledger_.fingerprints.size());
  row.features = static_cast<uint16_t>(std::min(content->features, uint32_t{UINT16_MAX}));
  ledger_.fingerprints.Append(content->fingerprint);
  if (options_.filter.match.text_keys) ledger_.text_keys.Append(content->text_keys);
}

void Audit::CheckOneLane(const InputPartition& place, uint64_t seq, const std::string& where) {
  uint64_t& newest = newest_seq_[place];
  if (seq <= newest && ++behind_ == kBehindMin) {
    report_.cause = fmt::format(
        "the outputs hold records of more than one lane: seq {} at {} comes after seq {}. Another "
        "app writes to the same topics, or this app was started again and wrote the records again. "
        "Give every app its own output topics; to change settings, use `neardup reindex`",
        seq, where, newest);
  }
  newest = std::max(newest, seq);
}

AuditRow* Audit::CoveredRow(uint32_t input, const ParsedHeader& header, const Message& message,
                            const std::string& where) {
  AuditPartition& partition = ledger_.partitions()[input];
  AuditRow* row = ledger_.Row(input, header.origin_offset);
  if (row == nullptr && header.origin_offset < partition.begin) {
    row = &partition.deleted[header.origin_offset];
    row->offset = header.origin_offset;
    row->time_ms = message.timestamp_ms;
    row->input_deleted = true;
    ++report_.outputs_without_input;
  }
  if (row == nullptr) {
    report_.Add(AuditCheck::kCoverage, where,
                fmt::format("names the origin {}, where there is no record",
                            ledger_.Origin(input, header.origin_offset)));
    return nullptr;
  }
  if (row->covered) {
    report_.Add(
        AuditCheck::kCoverage, where,
        fmt::format("repeats the record of origin {}, which is already at {}",
                    ledger_.Origin(input, header.origin_offset), ledger_.Place(input, *row)));
    return nullptr;
  }
  return row;
}

void Audit::CheckKey(const ParsedHeader& header, const Message& message, const std::string& where) {
  if (!header.keyed) return;
  const bool copy = header.decision() == Decision::kDuplicate;
  const std::string expected = copy ? GroupKey(header.original->partition, header.original->offset)
                                    : GroupKey(header.origin, header.origin_offset);
  if (message.key == expected) return;
  report_.Add(AuditCheck::kPayload, where,
              fmt::format("is keyed by its group; expected the key {}, found {}", expected,
                          message.key.value_or("null")));
}

void Audit::CheckPayload(const AuditRow& row, const PayloadDigest& digest, const Message& message,
                         const std::string& where) {
  ++report_[AuditCheck::kPayload].looked_at;
  const auto differs = [&](const char* part) {
    report_.Add(AuditCheck::kPayload, where, fmt::format("its {} not as in the input", part));
  };
  if (row.digest.key != digest.key) differs("key is");
  if (row.digest.value != digest.value) differs("value is");
  if (row.digest.headers != digest.headers) differs("own headers are");
  // Kafka's C client cannot send the timestamp 0; such a record may leave with 1.
  const bool became_one = row.time_ms == 0 && message.timestamp_ms == 1;
  if (row.time_ms != message.timestamp_ms && !became_one) {
    report_.Add(AuditCheck::kPayload, where,
                fmt::format("its timestamp is {}, in the input it is {}", message.timestamp_ms,
                            row.time_ms));
  }
}

bool Audit::CheckRoute(uint32_t input, const ParsedHeader& header, const InputPartition& place,
                       const std::string& where) {
  ++report_[AuditCheck::kRoute].looked_at;
  if (header.released && !options_.may_release) {
    report_.Add(AuditCheck::kRoute, where,
                "is marked released, but the settings release no duplicates; if they did when it "
                "was decided, add --set routing.release_exact_one_of=N or release_near_one_of");
  }
  if (header.observed && !options_.may_observe) {
    report_.Add(AuditCheck::kRoute, where,
                "is marked observed, but routing.mode is route; if it was observe when it was "
                "decided, add --set routing.mode_before=observe");
  }
  // A record that is keyed by its group is in the partition of the group's original.
  const bool moved = header.keyed && header.decision() == Decision::kDuplicate;
  const uint32_t target = moved ? ledger_.Find(header.original->partition) : input;
  if (target == AuditLedger::kNoInput) return true;  // the check of the verdict reports it
  const AuditPartition& partition = ledger_.partitions()[target];
  const std::string& topic = partition.topics[static_cast<size_t>(header.route())];
  if (place.topic != topic) {
    report_.Add(AuditCheck::kRoute, where,
                fmt::format("is decided {}{} and belongs to topic {}", Name(header.decision()),
                            header.observed   ? ", observed,"
                            : header.replaces ? ", replacing an older record,"
                            : header.released ? ", released,"
                                              : "",
                            topic));
    return false;
  }
  if (place.partition != partition.partition.partition) {
    report_.Add(AuditCheck::kRoute, where,
                moved ? fmt::format("is keyed by its group, and belongs to partition {}, the "
                                    "partition of its original",
                                    partition.partition.partition)
                      : fmt::format("comes from partition {} of its input, and belongs to the "
                                    "same partition of the output",
                                    partition.partition.partition));
    return false;
  }
  return true;
}

void Audit::CheckOrder(uint32_t input, Route route, int64_t origin_offset,
                       const std::string& where) {
  int64_t& last = ledger_.partitions()[input].last_offset[static_cast<size_t>(route)];
  ++report_[AuditCheck::kOrder].looked_at;
  if (origin_offset < last) {
    report_.Add(AuditCheck::kOrder, where,
                fmt::format("origin {} comes after offset {} of the same partition",
                            ledger_.Origin(input, origin_offset), last));
  }
  last = std::max(last, origin_offset);
}

size_t Audit::bytes() const {
  size_t bytes = groups_.bytes() + (counts_ ? counts_->bytes() : 0) + ledger_.fingerprints.bytes() +
                 ledger_.text_keys.bytes();
  for (const AuditPartition& partition : ledger_.partitions()) {
    bytes += partition.rows.bytes() + partition.deleted.size() * kAuditBytesPerDeleted;
  }
  return bytes;
}

AuditReport Audit::Finish(const std::function<void(double)>& progress) {
  groups_.Finish();
  if (counts_) counts_->Finish();
  counts_.reset();
  std::vector<const AuditRow*> by_seq = verdicts_.Finish();
  ledger_.text_keys = {};  // the next check, which needs the most memory, does not use them
  CheckCompleteness(options_, ledger_, std::move(by_seq), first_left_out_seq_, report_, progress);
  return std::move(report_);
}

}  // namespace neardup
