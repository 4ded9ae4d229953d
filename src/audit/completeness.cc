#include "audit/completeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "index/match.h"

namespace neardup {

namespace {

/// Cuts 64 bits into `blocks` blocks; returns a mask for each two of them.
std::vector<uint64_t> TwoBlockMasks(int blocks) {
  std::vector<uint64_t> single;
  for (int i = 0; i < blocks; ++i) {
    const int begin = 64 * i / blocks;
    const int end = 64 * (i + 1) / blocks;
    single.push_back(((uint64_t{1} << (end - begin)) - 1) << begin);
  }
  std::vector<uint64_t> masks;
  for (size_t i = 0; i < single.size(); ++i) {
    for (size_t j = i + 1; j < single.size(); ++j) masks.push_back(single[i] | single[j]);
  }
  return masks;
}

/// The difference as an unsigned number, without overflow. `later_ms` must not be smaller.
uint64_t TimeApart(int64_t earlier_ms, int64_t later_ms) {
  return static_cast<uint64_t>(later_ms) - static_cast<uint64_t>(earlier_ms);
}

/// The numbers of the records, grouped by key; one group if the scheme scans all.
std::unordered_map<uint64_t, std::vector<uint32_t>> ByKey(
    const Scheme& scheme, const std::vector<SketchRecord>& records) {
  std::unordered_map<uint64_t, std::vector<uint32_t>> groups;
  for (uint32_t number = 0; number < records.size(); ++number) {
    if (scheme.scans_all()) {
      groups[0].push_back(number);
    } else {
      for (const uint64_t key : records[number].sketch->keys) groups[key].push_back(number);
    }
  }
  return groups;
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
  if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
  return a + b;
}

bool IsCompared(const AuditRow& row) {
  return row.decision != Decision::kDeadLetter && !row.stated_passed;
}

/// For each row, a time at or above the horizon that was valid when the row was decided. The exact
/// horizon is not known, because the watermark also moves with commits and idle inputs, which leave
/// no trace. Two bounds hold: the watermark is at most the largest time decided before; and the
/// horizon, which only rises, is at most the time of each record, at this row or later, that is not
/// marked late.
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

/// A unique that the filter remembers.
struct Remembered {
  AuditRef ref;
  int64_t horizon_max_ms = 0;
};

/// True if the filter may rightly have missed that the later record duplicates the earlier one.
bool Excused(const AuditOptions& options, const std::vector<Remembered>& uniques, uint32_t earlier,
             uint32_t later) {
  const AuditRow& first = *uniques[earlier].ref.row;
  if (first.clamped || uniques[later].ref.row->clamped) return true;
  if (first.time_ms < uniques[later].horizon_max_ms) return true;
  return later - earlier > options.filter.window.entries_max;
}

/// Ignores text keys: sharing them only makes the filter accept more.
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
    uniques_.reserve(report.unique);
    for (size_t i = 0; i < by_seq.size(); ++i) {
      if (by_seq[i].row->remembered()) uniques_.push_back({by_seq[i], bounds[i]});
    }
    report[AuditCheck::kCompleteness].looked_at = uniques_.size();
  }

  void CheckFingerprints() {
    const MatchOptions& match = options_.filter.match;
    std::vector<PairRecord> records;
    records.reserve(uniques_.size());
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
      report_.notes.push_back(
          fmt::format("scheme {} promises to find most duplicates, not all: uniques that share no "
                      "key were not compared",
                      chosen.row->name));
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
    if (row(later).seq < options_.settings_seq) return;  // decided under other settings
    if (Excused(options_, uniques_, earlier, later)) {
      ++report_.pairs_excused;
      return;
    }
    const AuditRef& first = uniques_[earlier].ref;
    const AuditRef& second = uniques_[later].ref;
    report_.Add(AuditCheck::kCompleteness, ledger_.Place(second.input, *second.row),
                fmt::format("is unique at distance {} of the earlier unique {}", distance,
                            ledger_.Place(first.input, *first.row)));
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

void ForEachNearPair(std::vector<PairRecord> records, int distance_max, int64_t window_ms,
                     const std::function<void(uint32_t, uint32_t)>& visit) {
  assert(distance_max >= 0 && distance_max <= 7 && window_ms >= 0);
  const std::vector<uint64_t> masks = TwoBlockMasks(distance_max + 2);
  for (size_t m = 0; m < masks.size(); ++m) {
    const uint64_t mask = masks[m];
    std::sort(records.begin(), records.end(), [mask](const PairRecord& a, const PairRecord& b) {
      return std::tuple(a.simhash & mask, a.time_ms) < std::tuple(b.simhash & mask, b.time_ms);
    });
    for (size_t i = 0; i < records.size(); ++i) {
      for (size_t j = i + 1; j < records.size(); ++j) {
        const uint64_t differing = records[i].simhash ^ records[j].simhash;
        if ((differing & mask) != 0 ||
            TimeApart(records[i].time_ms, records[j].time_ms) > static_cast<uint64_t>(window_ms)) {
          break;
        }
        if (std::popcount(differing) > distance_max) continue;
        // A pair with more than two equal blocks is met under several masks; the first reports it.
        const auto first = std::find_if(masks.begin(), masks.end(),
                                        [&](uint64_t other) { return (differing & other) == 0; });
        if (first == masks.begin() + static_cast<std::ptrdiff_t>(m)) {
          visit(records[i].index, records[j].index);
        }
      }
    }
  }
}

void ForEachSketchPair(const Scheme& scheme, const std::vector<SketchRecord>& records,
                       int64_t window_ms,
                       const std::function<void(uint32_t, uint32_t, int)>& visit) {
  std::set<std::pair<uint32_t, uint32_t>> visited;
  auto groups = ByKey(scheme, records);
  for (auto& [key, group] : groups) {
    std::sort(group.begin(), group.end(),
              [&](uint32_t a, uint32_t b) { return records[a].time_ms < records[b].time_ms; });
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t j = i + 1; j < group.size(); ++j) {
        if (TimeApart(records[group[i]].time_ms, records[group[j]].time_ms) >
            static_cast<uint64_t>(window_ms)) {
          break;
        }
        const auto [earlier, later] = std::minmax(group[i], group[j]);
        const auto distance =
            scheme.Distance(records[earlier].sketch->words, records[later].sketch->words);
        if (distance && visited.emplace(earlier, later).second) visit(earlier, later, *distance);
      }
    }
  }
}

}  // namespace neardup
