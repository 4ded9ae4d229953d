#include "audit/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>

#include "index/match.h"

namespace neardup {

namespace {

/// |a - b| without overflow.
uint64_t TimeApart(int64_t a_ms, int64_t b_ms) {
  const auto [earlier, later] = std::minmax(a_ms, b_ms);
  return static_cast<uint64_t>(later) - static_cast<uint64_t>(earlier);
}

/// At least the number of keys that the lane can have seen, since it remembers only some of the
/// original's keys.
int SharedKeys(const AuditRow& row, const AuditRow& original) {
  const auto keys = original.text_keys.keys();
  int shared = 0;
  for (const uint32_t key : row.text_keys.keys()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) ++shared;
  }
  return shared;
}

class VerdictChecks {
 public:
  VerdictChecks(const AuditOptions& options, const ChosenScheme& chosen, AuditLedger& ledger,
                AuditReport& report)
      : options_(options), chosen_(chosen), ledger_(ledger), report_(report) {}

  std::vector<AuditRef> Run() {
    std::vector<AuditRef> by_seq;
    by_seq.reserve(report_.inputs + report_.outputs_without_input);
    for (uint32_t input = 0; input < ledger_.partitions().size(); ++input) {
      AuditPartition& partition = ledger_.partitions()[input];
      uint64_t last_seq = 0;
      for (auto& [offset, row] : partition.deleted) CheckRow(input, row, last_seq, by_seq);
      for (AuditRow& row : partition.rows) CheckRow(input, row, last_seq, by_seq);
    }
    std::sort(by_seq.begin(), by_seq.end(), [](const AuditRef& a, const AuditRef& b) {
      return std::tuple(a.row->seq, a.input, a.row->offset) <
             std::tuple(b.row->seq, b.input, b.row->offset);
    });
    CheckSeq(by_seq);
    return by_seq;
  }

 private:
  void CheckRow(uint32_t input, AuditRow& row, uint64_t& last_seq, std::vector<AuditRef>& by_seq) {
    if (!row.covered) {
      if (options_.started_late && last_seq == 0) return;
      ++report_[AuditCheck::kCoverage].looked_at;
      report_.Add(AuditCheck::kCoverage, ledger_.Place(input, row), "is in no output");
      return;
    }
    ++report_[AuditCheck::kCoverage].looked_at;
    by_seq.push_back({input, &row});
    if (row.seq < last_seq) {
      report_.Add(AuditCheck::kOrder, ledger_.Place(input, row),
                  fmt::format("origin {} has seq {}, a record before it has seq {}",
                              ledger_.Origin(input, row.offset), row.seq, last_seq));
    }
    last_seq = std::max(last_seq, row.seq);
    CountRoute(row);
    if (row.seq < options_.settings_seq) return;  // decided under other settings
    CheckDeadLetter(input, row);
    if (row.decision == Decision::kDuplicate) CheckDuplicate(input, row);
  }

  void CountRoute(const AuditRow& row) {
    switch (row.decision) {
      case Decision::kUnique:
        ++report_.unique;
        return;
      case Decision::kDuplicate:
        ++report_.duplicates;
        return;
      case Decision::kDeadLetter:
        ++report_.dead_letters;
        return;
    }
  }

  /// Only the output topic knows what it takes, so the audit cannot compute these two reasons.
  static bool IsRefusedByTopic(Reason reason) {
    return reason == Reason::kTooLarge || reason == Reason::kUndeliverable;
  }

  void CheckDeadLetter(uint32_t input, const AuditRow& row) {
    ++report_[AuditCheck::kDeadLetter].looked_at;
    const auto violated = [&](const std::string& text) {
      report_.Add(AuditCheck::kDeadLetter, ledger_.Place(input, row), text);
    };
    if (row.decision == Decision::kDeadLetter) {
      if (row.stated_reason != row.reason && !IsRefusedByTopic(row.stated_reason)) {
        violated(fmt::format("states the reason {}, recomputed: {}", Name(row.stated_reason),
                             Name(row.reason)));
      }
      return;
    }
    if (row.reason != Reason::kNone) {
      violated(fmt::format("is decided {}, but cannot be compared: {}", Name(row.decision),
                           Name(row.reason)));
    } else if (row.stated_passed != row.passed) {
      violated(row.passed ? "has a null value, which passes by policy, but is not marked passed"
                          : "is marked passed, but has no null value that passes by policy");
    }
  }

  void CheckDuplicate(uint32_t input, const AuditRow& row) {
    ++report_[AuditCheck::kSoundness].looked_at;
    const auto violated = [&](const std::string& text) {
      report_.Add(AuditCheck::kSoundness, ledger_.Place(input, row), text);
    };
    if (row.original_input == AuditLedger::kNoInput) {
      violated("names an original that is in no input partition");
      return;
    }
    const std::string original_text =
        fmt::format("original {}", ledger_.Origin(row.original_input, row.original_offset));
    if (row.original_input == input && row.original_offset == row.offset) {
      violated(fmt::format("names itself as its {}", original_text));
      return;
    }
    const AuditRow* original = ledger_.Row(row.original_input, row.original_offset);
    if (original == nullptr || !original->remembered()) {
      violated(
          fmt::format("its {} is not remembered: it is not on the unique topic", original_text));
      return;
    }
    if (original->seq >= row.seq) {
      violated(fmt::format("its {} has seq {}, not before its own {}", original_text, original->seq,
                           row.seq));
    }
    CheckMatch(row, *original, original_text, violated);
  }

  template <class Violated>
  void CheckMatch(const AuditRow& row, const AuditRow& original, const std::string& original_text,
                  const Violated& violated) {
    if (chosen_.scheme) {
      CheckSketches(row, original, original_text, violated);
    } else {
      CheckFingerprints(row, original, original_text, violated);
    }
    const bool exact = row.fingerprint.exact == original.fingerprint.exact;
    const MatchKind kind = exact ? MatchKind::kExact : MatchKind::kNear;
    if (row.kind != kind) {
      violated(fmt::format("states kind {} for its {}, recomputed: {}", Name(row.kind),
                           original_text, Name(kind)));
    }
    if (row.clamped || original.clamped) return;  // no output states the clamped time
    const uint64_t apart_ms = TimeApart(row.time_ms, original.time_ms);
    if (apart_ms > static_cast<uint64_t>(options_.filter.window.window_ms)) {
      violated(
          fmt::format("its {} has an event time {} ms away, expected at most {} (window.window_ms)",
                      original_text, apart_ms, options_.filter.window.window_ms));
    }
  }

  template <class Violated>
  static void CheckDistance(const AuditRow& row, int distance, const std::string& original_text,
                            const Violated& violated) {
    if (distance == row.distance) return;
    violated(fmt::format("states distance {} to its {}, recomputed: {}", row.distance,
                         original_text, distance));
  }

  template <class Violated>
  void CheckFingerprints(const AuditRow& row, const AuditRow& original,
                         const std::string& original_text, const Violated& violated) {
    const int distance = std::popcount(row.fingerprint.simhash ^ original.fingerprint.simhash);
    CheckDistance(row, distance, original_text, violated);
    if (row.fingerprint.exact == original.fingerprint.exact) return;
    const int order_distance = std::popcount(row.fingerprint.order ^ original.fingerprint.order);
    const Nearness nearness{distance, order_distance, SharedKeys(row, original), row.features};
    if (Accepts(options_.filter.match, nearness)) return;
    violated(fmt::format(
        "its {} is too far away: distance {}, order distance {}, {} text keys shared, {} distinct "
        "tokens",
        original_text, distance, order_distance, nearness.shared_keys, nearness.features));
  }

  template <class Violated>
  void CheckSketches(const AuditRow& row, const AuditRow& original,
                     const std::string& original_text, const Violated& violated) {
    const auto distance = chosen_.scheme->Distance(original.sketch.words, row.sketch.words);
    if (!distance) {
      violated(fmt::format(
          "the scheme {} does not accept its {} as near; verify with the settings of the service",
          chosen_.scheme->name(), original_text));
      return;
    }
    CheckDistance(row, *distance, original_text, violated);
  }

  void CheckSeq(const std::vector<AuditRef>& by_seq) {
    uint64_t last = 0;
    for (const AuditRef& ref : by_seq) {
      ++report_[AuditCheck::kSeq].looked_at;
      const uint64_t seq = ref.row->seq;
      if (seq == last) {
        report_.Add(AuditCheck::kSeq, ledger_.Place(ref.input, *ref.row),
                    fmt::format("repeats seq {}", seq));
      } else if (seq != last + 1) {
        report_.Add(AuditCheck::kSeq, ledger_.Place(ref.input, *ref.row),
                    fmt::format("has seq {}, the one before it is {}", seq, last));
      }
      last = seq;
    }
  }

  const AuditOptions& options_;
  const ChosenScheme& chosen_;
  AuditLedger& ledger_;
  AuditReport& report_;
};

}  // namespace

std::vector<AuditRef> CheckVerdicts(const AuditOptions& options, const ChosenScheme& chosen,
                                    AuditLedger& ledger, AuditReport& report) {
  return VerdictChecks(options, chosen, ledger, report).Run();
}

}  // namespace neardup
