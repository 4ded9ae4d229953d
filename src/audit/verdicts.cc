#include "audit/verdicts.h"

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

/// As many as the lane can have seen: it remembers some of the original's keys only.
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
                  "origin " + ledger_.Origin(input, row.offset) + " has seq " +
                      std::to_string(row.seq) + ", a record before it " + std::to_string(last_seq));
    }
    last_seq = std::max(last_seq, row.seq);
    CountRoute(row);
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

  /// Only the topic can say what it takes, so these two reasons cannot be recomputed.
  static bool IsForTheTopicToSay(Reason reason) {
    return reason == Reason::kTooLarge || reason == Reason::kUndeliverable;
  }

  void CheckDeadLetter(uint32_t input, const AuditRow& row) {
    ++report_[AuditCheck::kDeadLetter].looked_at;
    const auto violated = [&](const std::string& text) {
      report_.Add(AuditCheck::kDeadLetter, ledger_.Place(input, row), text);
    };
    if (row.decision == Decision::kDeadLetter) {
      if (row.stated_reason != row.reason && !IsForTheTopicToSay(row.stated_reason)) {
        violated(std::string("states the reason ") + Name(row.stated_reason) +
                 ", recomputed: " + Name(row.reason));
      }
      return;
    }
    if (row.reason != Reason::kNone) {
      violated(std::string("is decided ") + Name(row.decision) + " and is a dead letter, reason " +
               Name(row.reason));
    } else if (row.stated_passed != row.passed) {
      violated(row.passed ? "is a null value that passes by policy, and is not marked passed"
                          : "is marked passed, and is no null value that passes by policy");
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
        "original " + ledger_.Origin(row.original_input, row.original_offset);
    if (row.original_input == input && row.original_offset == row.offset) {
      violated("names itself as its " + original_text);
      return;
    }
    const AuditRow* original = ledger_.Row(row.original_input, row.original_offset);
    if (original == nullptr || !original->remembered()) {
      violated("its " + original_text + " is not remembered on the unique topic");
      return;
    }
    if (original->seq >= row.seq) {
      violated("its " + original_text + " has seq " + std::to_string(original->seq) +
               ", not before its own " + std::to_string(row.seq));
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
      violated(std::string("states kind ") + Name(row.kind) + " of its " + original_text +
               ", recomputed: " + Name(kind));
    }
    if (row.clamped || original.clamped) return;  // to which time is not written down
    const uint64_t apart_ms = TimeApart(row.time_ms, original.time_ms);
    if (apart_ms > static_cast<uint64_t>(options_.filter.window.window_ms)) {
      violated("its " + original_text + " is " + std::to_string(apart_ms) +
               " ms away, more than window_ms " + std::to_string(options_.filter.window.window_ms));
    }
  }

  template <class Violated>
  static void CheckDistance(const AuditRow& row, int distance, const std::string& original_text,
                            const Violated& violated) {
    if (distance == row.distance) return;
    violated("states distance " + std::to_string(row.distance) + " to its " + original_text +
             ", recomputed: " + std::to_string(distance));
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
    violated("its " + original_text + " is too far away: distance " + std::to_string(distance) +
             ", order distance " + std::to_string(order_distance) + ", " +
             std::to_string(nearness.shared_keys) + " text keys shared, " +
             std::to_string(nearness.features) + " distinct tokens");
  }

  template <class Violated>
  void CheckSketches(const AuditRow& row, const AuditRow& original,
                     const std::string& original_text, const Violated& violated) {
    const auto distance = chosen_.scheme->Distance(original.sketch.words, row.sketch.words);
    if (!distance) {
      violated("its " + original_text + " is too far away by scheme " +
               std::string(chosen_.scheme->name()));
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
                    "repeats seq " + std::to_string(seq));
      } else if (seq != last + 1) {
        report_.Add(
            AuditCheck::kSeq, ledger_.Place(ref.input, *ref.row),
            "has seq " + std::to_string(seq) + ", the one before it is " + std::to_string(last));
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
