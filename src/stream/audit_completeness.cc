#include "stream/audit_completeness.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "index/accept.h"
#include "stream/audit_pairs.h"
#include "stream/audit_sketches.h"

namespace neardup {
namespace {

int64_t SaturatingAdd(int64_t a, int64_t b) {
  if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
  if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
  return a + b;
}

bool IsCompared(const AuditRow& row) {
  return row.decision != Decision::kDeadLetter && !row.stated_passed;
}

/// For each row, a time at or above the horizon in force when it was decided. The watermark moves
/// by commits and idle inputs, which leave no trace, so it is bounded from both sides: it is never
/// above the largest time decided before, and the horizon never above the time of a record that is
/// not marked late, then or later, because it only rises.
std::vector<int64_t> HorizonBounds(const AuditOptions& options,
                                   const std::vector<AuditRef>& by_seq) {
  const WindowOptions& window = options.filter.window;
  const int64_t clamped_max_ms = SaturatingAdd(options.now_ms, window.ahead_max_ms);
  std::vector<int64_t> bounds(by_seq.size(), INT64_MIN);
  int64_t time_max_ms = INT64_MIN;
  for (size_t i = 0; i < by_seq.size(); ++i) {
    const AuditRow& row = *by_seq[i].row;
    bounds[i] = SaturatingAdd(time_max_ms, -(window.window_ms + window.lateness_ms));
    if (!IsCompared(row)) continue;
    const int64_t time_ms = row.clamped ? std::min(row.time_ms, clamped_max_ms) : row.time_ms;
    time_max_ms = std::max(time_max_ms, time_ms);
  }
  int64_t in_time_min_ms = INT64_MAX;
  for (size_t i = by_seq.size(); i-- > 0;) {
    const AuditRow& row = *by_seq[i].row;
    if (IsCompared(row) && !row.late) in_time_min_ms = std::min(in_time_min_ms, row.time_ms);
    bounds[i] = std::min(bounds[i], in_time_min_ms);
  }
  return bounds;
}

/// A remembered unique.
struct Remembered {
  AuditRef ref;
  int64_t horizon_max_ms = 0;
};

bool Excused(const AuditOptions& options, const std::vector<Remembered>& uniques, uint32_t earlier,
             uint32_t later) {
  const AuditRow& first = *uniques[earlier].ref.row;
  if (first.clamped || uniques[later].ref.row->clamped) return true;
  if (first.time_ms < uniques[later].horizon_max_ms) return true;
  return later - earlier > options.filter.window.entries_max;
}

/// Wherever they are met: text keys, which only widen what is accepted, are not taken into account.
bool AreDuplicates(const AuditOptions& options, const AuditRow& earlier, const AuditRow& later) {
  const Fingerprint& first = earlier.fingerprint;
  const Fingerprint& second = later.fingerprint;
  return first.exact == second.exact ||
         Accepts(options.filter.match,
                 {std::popcount(first.simhash ^ second.simhash),
                  std::popcount(first.order ^ second.order), 0, later.features});
}

class PairChecks {
 public:
  PairChecks(const AuditOptions& options, const AuditLedger& ledger,
             const std::vector<AuditRef>& by_seq, AuditReport& report)
      : options_(options), ledger_(ledger), report_(report) {
    const std::vector<int64_t> bounds = HorizonBounds(options, by_seq);
    for (size_t i = 0; i < by_seq.size(); ++i) {
      if (by_seq[i].row->remembered()) uniques_.push_back({by_seq[i], bounds[i]});
    }
    report[AuditCheck::kCompleteness].looked_at = uniques_.size();
  }

  void CheckFingerprints() {
    const MatchOptions& match = options_.filter.match;
    std::vector<PairRecord> records;
    for (uint32_t number = 0; number < uniques_.size(); ++number) {
      const Fingerprint& fingerprint = row(number).fingerprint;
      records.push_back({match.distance_max == 0 ? fingerprint.exact : fingerprint.simhash,
                         row(number).time_ms, number});
    }
    ForEachNearPair(
        std::move(records), GuaranteedDistance(match), window_ms(), [this](uint32_t a, uint32_t b) {
          const auto [earlier, later] = std::minmax(a, b);
          if (!AreDuplicates(options_, row(earlier), row(later))) return;
          Report(earlier, later,
                 std::popcount(row(earlier).fingerprint.simhash ^ row(later).fingerprint.simhash));
        });
  }

  void CheckSketches(const ChosenScheme& chosen) {
    if (!chosen.row->finds_all) {
      report_.notes.push_back("scheme " + std::string(chosen.row->name) +
                              " promises to find most duplicates: uniques that share no key were "
                              "not compared");
    }
    std::vector<SketchRecord> records;
    for (const Remembered& unique : uniques_) {
      records.push_back({&unique.ref.row->sketch, unique.ref.row->time_ms});
    }
    ForEachSketchPair(*chosen.scheme, records, window_ms(),
                      [this](uint32_t earlier, uint32_t later, int distance) {
                        Report(earlier, later, distance);
                      });
  }

 private:
  const AuditRow& row(uint32_t number) const { return *uniques_[number].ref.row; }
  int64_t window_ms() const { return options_.filter.window.window_ms; }

  void Report(uint32_t earlier, uint32_t later, int distance) {
    if (Excused(options_, uniques_, earlier, later)) {
      ++report_.pairs_excused;
      return;
    }
    const AuditRef& first = uniques_[earlier].ref;
    const AuditRef& second = uniques_[later].ref;
    report_.Add(AuditCheck::kCompleteness, ledger_.Place(second.input, *second.row),
                "is unique at distance " + std::to_string(distance) + " of the earlier unique " +
                    ledger_.Place(first.input, *first.row));
  }

  const AuditOptions& options_;
  const AuditLedger& ledger_;
  AuditReport& report_;
  std::vector<Remembered> uniques_;  ///< in order of seq
};

}  // namespace

void CheckCompleteness(const AuditOptions& options, const ChosenScheme& chosen,
                       const AuditLedger& ledger, const std::vector<AuditRef>& by_seq,
                       AuditReport& report) {
  PairChecks checks(options, ledger, by_seq, report);
  if (chosen.scheme) {
    checks.CheckSketches(chosen);
  } else {
    checks.CheckFingerprints();
  }
}

}  // namespace neardup
