#include "stream/audit_completeness.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "index/accept.h"
#include "stream/audit_pairs.h"

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

}  // namespace

void CheckCompleteness(const AuditOptions& options, const AuditLedger& ledger,
                       const std::vector<AuditRef>& by_seq, AuditReport& report) {
  const std::vector<int64_t> bounds = HorizonBounds(options, by_seq);
  const bool exact_only = options.filter.match.distance_max == 0;
  std::vector<Remembered> uniques;
  std::vector<PairRecord> records;
  for (size_t i = 0; i < by_seq.size(); ++i) {
    const AuditRow& row = *by_seq[i].row;
    if (!row.remembered()) continue;
    const Fingerprint& fingerprint = row.fingerprint;
    records.push_back({exact_only ? fingerprint.exact : fingerprint.simhash, row.time_ms,
                       static_cast<uint32_t>(uniques.size())});
    uniques.push_back({by_seq[i], bounds[i]});
  }
  report[AuditCheck::kCompleteness].looked_at = uniques.size();
  ForEachNearPair(
      std::move(records), GuaranteedDistance(options.filter.match), options.filter.window.window_ms,
      [&](uint32_t a, uint32_t b) {
        const auto [earlier, later] = std::minmax(a, b);
        if (!AreDuplicates(options, *uniques[earlier].ref.row, *uniques[later].ref.row)) return;
        if (Excused(options, uniques, earlier, later)) {
          ++report.pairs_excused;
          return;
        }
        const AuditRef& first = uniques[earlier].ref;
        const AuditRef& second = uniques[later].ref;
        const int distance =
            std::popcount(first.row->fingerprint.simhash ^ second.row->fingerprint.simhash);
        report.Add(AuditCheck::kCompleteness, ledger.Place(second.input, *second.row),
                   "is unique at distance " + std::to_string(distance) + " of the earlier unique " +
                       ledger.Place(first.input, *first.row));
      });
}

}  // namespace neardup
