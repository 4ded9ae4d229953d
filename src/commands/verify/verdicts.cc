#include "commands/verify/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "service/topics/topic_reading.h"

namespace neardup {
namespace {

/// |a - b| without overflow.
uint64_t DistanceInTime(int64_t a_ms, int64_t b_ms) {
  const auto [earlier, later] = std::minmax(a_ms, b_ms);
  return static_cast<uint64_t>(later) - static_cast<uint64_t>(earlier);
}

/// At least the number of keys that the lane can have seen, since it remembers only some of the
/// original's keys.
int SharedKeys(const ProbedKeys& of_record, const ProbedKeys& of_original) {
  const auto keys = of_original.keys();
  int shared = 0;
  for (const uint32_t key : of_record.keys()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) ++shared;
  }
  return shared;
}

std::string NearnessText(const Nearness& nearness) {
  return fmt::format(
      "distance {}, order distance {}, {} text keys shared, {} distinct tokens, {} bits of numbers "
      "in conflict",
      nearness.distance, nearness.order_distance, nearness.shared_keys, nearness.features,
      nearness.conflict_bits);
}

/// Only the output topic knows what it takes, so the audit cannot compute these two reasons.
bool IsRefusedByTopic(Reason reason) {
  return reason == Reason::kTooLarge || reason == Reason::kUndeliverable;
}

}  // namespace

void VerdictChecks::Check(const CheckedRecord& decided) {
  CheckDeadLetter(decided);
  if (!decided.header.original) return;
  const ParsedOriginal& original = *decided.header.original;
  ++report_[AuditCheck::kSoundness].looked_at;
  Duplicate duplicate{decided.input,
                      decided.row,
                      ledger_.Find(original.partition),
                      original.offset,
                      original.distance,
                      original.kind,
                      decided.header.suspect,
                      decided.content != nullptr,
                      {}};
  if (decided.content != nullptr) duplicate.content = *decided.content;
  const AuditRow* row = duplicate.original_input == AuditLedger::kNoInput
                            ? nullptr
                            : ledger_.Row(duplicate.original_input, original.offset);
  if (uniques_done_ || (row != nullptr && row->covered)) {
    CheckDuplicate(duplicate);
  } else {
    waiting_.push_back(std::move(duplicate));
  }
}

void VerdictChecks::UniquesDone() {
  uniques_done_ = true;
  for (const Duplicate& duplicate : std::exchange(waiting_, {})) CheckDuplicate(duplicate);
}

void VerdictChecks::CheckDeadLetter(const CheckedRecord& decided) {
  ++report_[AuditCheck::kDeadLetter].looked_at;
  if (decided.content == nullptr) return;
  const ReadOutcome& outcome = decided.content->outcome;
  const ParsedHeader& header = decided.header;
  const auto violated = [&](const std::string& text) {
    report_.Add(AuditCheck::kDeadLetter, ledger_.Place(decided.input, *decided.row), text);
  };
  if (header.decision() == Decision::kDeadLetter) {
    if (header.reason != outcome.reason && !IsRefusedByTopic(header.reason)) {
      violated(fmt::format("states the reason {}, recomputed: {}", Name(header.reason),
                           Name(outcome.reason)));
    }
    return;
  }
  if (outcome.reason != Reason::kNone) {
    violated(fmt::format("is decided {}, but cannot be compared: {}", Name(header.decision()),
                         Name(outcome.reason)));
  } else if (header.passed != outcome.passed) {
    violated(outcome.passed ? "has a null value, which passes by policy, but is not marked passed"
                            : "is marked passed, but has no null value that passes by policy");
  }
}

/// Whether a record that is no row may have been decided.
bool VerdictChecks::IsLeftOut(uint32_t input, int64_t offset) const {
  const AuditPartition& partition = ledger_.partitions()[input];
  return partition.left_out_before && (offset < partition.begin || offset >= partition.end);
}

void VerdictChecks::CheckDuplicate(const Duplicate& duplicate) {
  const AuditRow& row = *duplicate.row;
  const auto violated = [&](const std::string& text) {
    report_.Add(AuditCheck::kSoundness, ledger_.Place(duplicate.input, row), text);
  };
  const uint32_t original_input = duplicate.original_input;
  if (original_input == AuditLedger::kNoInput) {
    violated("names an original that is in no input partition");
    return;
  }
  const int64_t offset = duplicate.original_offset;
  const std::string original_text =
      fmt::format("original {}", ledger_.Origin(original_input, offset));
  if (original_input == duplicate.input && offset == row.offset) {
    violated(fmt::format("names itself as its {}", original_text));
    return;
  }
  const AuditRow* original = ledger_.Row(original_input, offset);
  const AuditPartition& partition = ledger_.partitions()[original_input];
  const bool output_deleted = (original == nullptr || !original->covered) &&
                              offset < partition.outputs_kept_from[0] && offset < partition.end;
  if (output_deleted || (original == nullptr && IsLeftOut(original_input, offset))) {
    ++report_.originals_left_out;
    return;
  }
  const bool covered = original != nullptr && original->covered;
  if (!covered && options_.beginning.with == BeganWith::kHistory) {
    NoteHistory(duplicate);
    return;
  }
  if (original == nullptr || !original->remembered) {
    violated(fmt::format("its {} is not remembered: it is not on the unique topic", original_text));
    return;
  }
  if (original->output.seq >= row.output.seq) {
    violated(fmt::format("its {} has seq {}, not before its own {}", original_text,
                         original->output.seq, row.output.seq));
  }
  if (!duplicate.content_known || original->content == AuditRow::kNoContent) return;
  CheckMatch(duplicate, *original, original_text, violated);
}

void VerdictChecks::NoteHistory(const Duplicate& duplicate) {
  ++report_.originals_of_history;
  AuditPartition& partition = ledger_.partitions()[duplicate.original_input];
  if (duplicate.original_offset <= partition.history_offset) return;
  partition.history_offset = duplicate.original_offset;
  partition.history_copy = duplicate.row;
}

/// All of the history is before the first record that the lane has decided.
void VerdictChecks::CheckHistory(const AuditPartition& partition) {
  if (partition.history_copy == nullptr) return;
  std::optional<int64_t> first;
  if (!partition.deleted.empty()) first = partition.deleted.begin()->first;
  for (size_t i = 0; i < partition.rows.size() && !first; ++i) {
    if (partition.rows[i].covered) first = partition.rows[i].offset;
  }
  if (!first || partition.history_offset < *first) return;
  report_.Add(AuditCheck::kSoundness, ledger_.Place(*partition.history_copy),
              fmt::format("its original {} is on no unique topic; it is not of the history that "
                          "was imported, because the lane has decided {} before it",
                          TextOf(partition.partition, partition.history_offset),
                          TextOf(partition.partition, *first)));
}

template <class Violated>
void VerdictChecks::CheckMatch(const Duplicate& duplicate, const AuditRow& original,
                               const std::string& original_text, const Violated& violated) {
  CheckFingerprints(duplicate, original, original_text, violated);
  const Fingerprint& fingerprint = ledger_.fingerprints[original.content];
  const bool exact = duplicate.content.fingerprint.exact == fingerprint.exact;
  const MatchKind kind = exact ? MatchKind::kExact : MatchKind::kNear;
  if (duplicate.kind != kind) {
    violated(fmt::format("states kind {} for its {}, recomputed: {}", Name(duplicate.kind),
                         original_text, Name(kind)));
  }
  const AuditRow& row = *duplicate.row;
  if (row.clamped || original.clamped) return;  // no output states the clamped time
  const uint64_t apart_ms = DistanceInTime(row.time_ms, original.time_ms);
  if (apart_ms > static_cast<uint64_t>(options_.filter.window.window_ms)) {
    violated(
        fmt::format("its {} has an event time {} ms away, expected at most {} (window.window_ms)",
                    original_text, apart_ms, options_.filter.window.window_ms));
  }
}

template <class Violated>
void VerdictChecks::CheckFingerprints(const Duplicate& duplicate, const AuditRow& original,
                                      const std::string& original_text, const Violated& violated) {
  const Fingerprint& first = ledger_.fingerprints[original.content];
  const Fingerprint& second = duplicate.content.fingerprint;
  const int distance = std::popcount(second.simhash ^ first.simhash);
  if (distance != duplicate.distance) {
    violated(fmt::format("states distance {} to its {}, recomputed: {}", duplicate.distance,
                         original_text, distance));
  }
  if (duplicate.suspect) {
    CheckSuspect(duplicate, original, original_text, violated);
    return;
  }
  if (second.exact == first.exact) return;
  const Nearness nearness = NearnessOf(duplicate, original);
  if (Accepts(options_.filter.match, nearness)) return;
  violated(fmt::format("its {} is too far away: {}", original_text, NearnessText(nearness)));
}

template <class Violated>
void VerdictChecks::CheckSuspect(const Duplicate& suspect, const AuditRow& original,
                                 const std::string& original_text, const Violated& violated) {
  Nearness nearness = NearnessOf(suspect, original);
  const std::optional<MatchOptions> rule = SuspectRule(options_.filter.match);
  if (!rule || !Accepts(*rule, nearness)) {
    violated(fmt::format("its {} is too far away for a suspect (match.suspect_distance_max): {}",
                         original_text, NearnessText(nearness)));
    return;
  }
  nearness.shared_keys = 0;  // the lane may have seen none of them
  const bool equal =
      suspect.content.fingerprint.exact == ledger_.fingerprints[original.content].exact;
  if (!equal && !Accepts(options_.filter.match, nearness)) return;
  violated(fmt::format("is a suspect, and its {} is near enough for a duplicate: {}", original_text,
                       NearnessText(nearness)));
}

Nearness VerdictChecks::NearnessOf(const Duplicate& duplicate, const AuditRow& original) const {
  const Fingerprint& first = ledger_.fingerprints[original.content];
  const Fingerprint& second = duplicate.content.fingerprint;
  const int shared_keys =
      options_.filter.match.text_keys
          ? SharedKeys(duplicate.content.text_keys, ledger_.text_keys[original.content])
          : 0;
  return neardup::NearnessOf(second, first, shared_keys, duplicate.content.features);
}

std::vector<const AuditRow*> VerdictChecks::Finish() {
  UniquesDone();
  std::vector<const AuditRow*> by_seq;
  by_seq.reserve(report_.unique + report_.duplicates + report_.dead_letters);
  for (uint32_t input = 0; input < ledger_.partitions().size(); ++input) {
    AuditPartition& partition = ledger_.partitions()[input];
    CheckHistory(partition);
    uint64_t last_seq = 0;
    for (const auto& [offset, row] : partition.deleted) CheckRow(input, row, last_seq, by_seq);
    for (size_t i = 0; i < partition.rows.size(); ++i) {
      CheckRow(input, partition.rows[i], last_seq, by_seq);
    }
  }
  std::sort(by_seq.begin(), by_seq.end(), [](const AuditRow* a, const AuditRow* b) {
    return std::tuple(a->output.seq, a->offset, a) < std::tuple(b->output.seq, b->offset, b);
  });
  CheckSeq(by_seq);
  return by_seq;
}

void VerdictChecks::CheckRow(uint32_t input, const AuditRow& row, uint64_t& last_seq,
                             std::vector<const AuditRow*>& by_seq) {
  if (!row.covered) {
    const bool began_here = options_.started_late || options_.beginning.with == BeganWith::kHistory;
    if (began_here && last_seq == 0) return;
    const auto& kept_from = ledger_.partitions()[input].outputs_kept_from;
    if (options_.keyed_outputs_gone ||
        row.offset < *std::max_element(kept_from.begin(), kept_from.end())) {
      ++report_.outputs_deleted;
      return;
    }
    if (report_.dropped < options_.dropped) {
      ++report_.dropped;
      return;
    }
    ++report_[AuditCheck::kCoverage].looked_at;
    report_.Add(AuditCheck::kCoverage, ledger_.Place(input, row),
                options_.dropped == 0
                    ? "is in no output"
                    : fmt::format("is in no output, and the lane has dropped only {} duplicates",
                                  options_.dropped));
    return;
  }
  ++report_[AuditCheck::kCoverage].looked_at;
  by_seq.push_back(&row);
  if (row.output.seq < last_seq) {
    report_.Add(AuditCheck::kOrder, ledger_.Place(input, row),
                fmt::format("origin {} has seq {}, a record before it has seq {}",
                            ledger_.Origin(input, row.offset), row.output.seq, last_seq));
  }
  last_seq = std::max(last_seq, row.output.seq);
}

void VerdictChecks::CheckSeq(const std::vector<const AuditRow*>& by_seq) {
  uint64_t last = options_.beginning.seq - 1;
  uint64_t missing = 0;  // dropped duplicates have a seq
  for (const AuditRow* row : by_seq) {
    const uint64_t seq = row->output.seq;
    if (seq < options_.beginning.seq) continue;  // of another lane
    ++report_[AuditCheck::kSeq].looked_at;
    if (seq == last) {
      report_.Add(AuditCheck::kSeq, ledger_.Place(*row), fmt::format("repeats seq {}", seq));
    } else if (seq != last + 1 && !options_.part &&
               (missing += seq - last - 1) > options_.dropped) {
      report_.Add(AuditCheck::kSeq, ledger_.Place(*row),
                  fmt::format("has seq {}, the one before it is {}", seq, last));
    }
    last = seq;
  }
}

}  // namespace neardup
