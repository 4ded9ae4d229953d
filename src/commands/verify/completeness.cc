#include "commands/verify/completeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <tuple>
#include <utility>

#include "detect/index/match.h"

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

int64_t SaturatingAdd(int64_t a, int64_t b) {
  if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
  if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
  return a + b;
}

bool IsCompared(const AuditRow& row) {
  return row.decision != Decision::kDeadLetter && !row.passed;
}

/// A unique that the filter remembers.
struct Remembered {
  const AuditRow* row = nullptr;
  /// At or above the horizon that was valid when the row was decided.
  int64_t horizon_max_ms = 0;
};

/// The uniques in order of seq. The exact horizon is not known, because the watermark also moves
/// with commits and idle inputs, which leave no trace. These bounds hold: the watermark is at most
/// the largest time decided before; and the horizon, which only rises, is at most the horizon now,
/// and at most the time of each record, at this row or later, that is not marked late.
std::vector<Remembered> RememberedUniques(const AuditOptions& options,
                                          const std::vector<const AuditRow*>& by_seq,
                                          uint64_t first_left_out_seq) {
  const WindowOptions& window = options.filter.window;
  const int64_t clamped_max_ms = SaturatingAdd(options.now_ms, window.ahead_max_ms);
  const auto count = std::count_if(by_seq.begin(), by_seq.end(),
                                   [](const AuditRow* row) { return row->remembered; });
  std::vector<Remembered> uniques;
  uniques.reserve(static_cast<size_t>(count));
  int64_t time_max_ms = options.part ? options.earlier_time_max_ms : INT64_MIN;
  if (options.dropped > 0) time_max_ms = INT64_MAX;  // the times of dropped records are not known
  // The horizon at which the lane began moves on with records that are not audited here.
  const int64_t begun_time_ms =
      SaturatingAdd(options.beginning.horizon_ms, window.window_ms + window.lateness_ms);
  for (const AuditRow* row : by_seq) {
    if (options.part && row->output.seq > first_left_out_seq) time_max_ms = INT64_MAX;
    if (row->output.seq >= options.beginning.seq)
      time_max_ms = std::max(time_max_ms, begun_time_ms);
    if (row->remembered) {
      int64_t horizon_ms = INT64_MAX;
      if (time_max_ms != INT64_MAX) {
        horizon_ms = SaturatingAdd(time_max_ms, -(window.window_ms + window.lateness_ms));
      }
      if (options.part) horizon_ms = std::min(horizon_ms, options.horizon_ms);
      uniques.push_back({row, horizon_ms});
    }
    if (!IsCompared(*row)) continue;
    const int64_t time_ms = row->clamped ? std::min(row->time_ms, clamped_max_ms) : row->time_ms;
    time_max_ms = std::max(time_max_ms, time_ms);
  }
  int64_t in_time_min_ms = INT64_MAX;
  auto unique = uniques.rbegin();
  for (auto row = by_seq.rbegin(); row != by_seq.rend(); ++row) {
    if (IsCompared(**row) && !(*row)->late) {
      in_time_min_ms = std::min(in_time_min_ms, (*row)->time_ms);
    }
    if (unique == uniques.rend() || unique->row != *row) continue;
    unique->horizon_max_ms = std::min(unique->horizon_max_ms, in_time_min_ms);
    ++unique;
  }
  // If the output has another payload than its input, there is nothing to compare.
  std::erase_if(uniques,
                [](const Remembered& each) { return each.row->content == AuditRow::kNoContent; });
  return uniques;
}

/// True if the filter may rightly have missed that the later record duplicates the earlier one.
bool Excused(const AuditOptions& options, const std::vector<Remembered>& uniques, uint32_t earlier,
             uint32_t later) {
  const AuditRow& first = *uniques[earlier].row;
  const AuditRow& second = *uniques[later].row;
  if (first.clamped) return true;
  if (second.clamped) {
    // Its time lies between the time of the first, which was not set back, and its own.
    const auto window_ms = static_cast<uint64_t>(options.filter.window.window_ms);
    if (second.time_ms < first.time_ms || TimeApart(first.time_ms, second.time_ms) > window_ms)
      return true;
  }
  // Another lane may have forgotten the first one, because of records that are not in this lane.
  if (first.output.seq < options.beginning.seq) return true;
  if (first.time_ms < uniques[later].horizon_max_ms) return true;
  // In a part, uniques that are left out may lie between the two.
  const uint64_t apart = options.part ? second.output.seq - first.output.seq : later - earlier;
  return apart > options.filter.window.entries_max;
}

class PairChecks {
 public:
  PairChecks(const AuditOptions& options, const AuditLedger& ledger,
             std::vector<Remembered> uniques, AuditReport& report,
             const std::function<void(double)>& progress)
      : options_(options),
        ledger_(ledger),
        report_(report),
        progress_(progress),
        uniques_(std::move(uniques)) {
    report[AuditCheck::kCompleteness].looked_at = uniques_.size();
  }

  void Run() {
    const MatchOptions& match = options_.filter.match;
    const auto [first, last] = std::minmax_element(
        uniques_.begin(), uniques_.end(),
        [](const Remembered& a, const Remembered& b) { return a.row->time_ms < b.row->time_ms; });
    if (first == uniques_.end()) return;
    const CoarseTimes times(first->row->time_ms, last->row->time_ms);
    std::vector<PairRecord> records;
    records.reserve(uniques_.size());
    for (uint32_t number = 0; number < uniques_.size(); ++number) {
      const Fingerprint& content = fingerprint(number);
      records.push_back({match.distance_max == 0 ? content.exact : content.simhash,
                         times.Of(row(number).time_ms), number});
    }
    ForEachNearPair(
        std::move(records), GuaranteedDistance(match), times.Window(window_ms()),
        [this](uint32_t a, uint32_t b) {
          const auto [earlier, later] = std::minmax(a, b);
          if (!AreDuplicates(earlier, later)) return;
          Report(earlier, later,
                 std::popcount(fingerprint(earlier).simhash ^ fingerprint(later).simhash));
        },
        progress_);
  }

 private:
  const AuditRow& row(uint32_t number) const { return *uniques_[number].row; }
  const Fingerprint& fingerprint(uint32_t number) const {
    return ledger_.fingerprints[row(number).content];
  }
  int64_t window_ms() const { return options_.filter.window.window_ms; }

  /// The lane may have left out the input of the earlier record when it decided the later one.
  bool IsRetiredFor(uint32_t earlier, uint32_t later) const {
    const std::vector<AuditPartition>& inputs = ledger_.partitions();
    if (std::none_of(inputs.begin(), inputs.end(), [](const auto& each) { return each.retired; })) {
      return false;
    }
    return inputs[ledger_.InputOf(row(earlier))].retired &&
           !inputs[ledger_.InputOf(row(later))].retired;
  }
  /// Ignores text keys: sharing them only makes the filter accept more.
  bool AreDuplicates(uint32_t earlier, uint32_t later) const {
    const auto [first_ms, last_ms] = std::minmax(row(earlier).time_ms, row(later).time_ms);
    if (TimeApart(first_ms, last_ms) > static_cast<uint64_t>(window_ms())) return false;
    const Fingerprint& first = fingerprint(earlier);
    const Fingerprint& second = fingerprint(later);
    return first.exact == second.exact ||
           Accepts(options_.filter.match, NearnessOf(second, first, 0, row(later).features));
  }

  void Report(uint32_t earlier, uint32_t later, int distance) {
    if (row(later).output.seq < options_.settings_seq) return;  // decided under other settings
    if (Excused(options_, uniques_, earlier, later) || IsRetiredFor(earlier, later)) {
      ++report_.pairs_excused;
      return;
    }
    report_.Add(AuditCheck::kCompleteness, ledger_.Place(row(later)),
                fmt::format("is unique at distance {} of the earlier unique {}", distance,
                            ledger_.Place(row(earlier))));
  }

  const AuditOptions& options_;
  const AuditLedger& ledger_;
  AuditReport& report_;
  const std::function<void(double)>& progress_;
  std::vector<Remembered> uniques_;  ///< in order of seq
};

}  // namespace

void CheckCompleteness(const AuditOptions& options, const AuditLedger& ledger,
                       std::vector<const AuditRow*> by_seq, uint64_t first_left_out_seq,
                       AuditReport& report, const std::function<void(double)>& progress) {
  std::vector<Remembered> uniques = RememberedUniques(options, by_seq, first_left_out_seq);
  by_seq = {};  // its memory is needed for the pairs
  PairChecks(options, ledger, std::move(uniques), report, progress).Run();
}

CoarseTimes::CoarseTimes(int64_t first_ms, int64_t last_ms)
    : first_ms_(first_ms), unit_ms_(TimeApart(first_ms, last_ms) / UINT32_MAX + 1) {}

uint32_t CoarseTimes::Of(int64_t time_ms) const {
  return static_cast<uint32_t>(TimeApart(first_ms_, time_ms) / unit_ms_);
}

uint32_t CoarseTimes::Window(int64_t window_ms) const {
  // Rounding down can add 1 to the difference of two times.
  const uint64_t exact = static_cast<uint64_t>(window_ms) / unit_ms_;
  const uint64_t window = unit_ms_ == 1 ? exact : exact + 1;
  return static_cast<uint32_t>(std::min(window, uint64_t{UINT32_MAX}));
}

void ForEachNearPair(std::vector<PairRecord> records, int distance_max, uint32_t window,
                     const std::function<void(uint32_t, uint32_t)>& visit,
                     const std::function<void(double)>& progress) {
  assert(distance_max >= 0 && distance_max <= 7);
  const std::vector<uint64_t> masks = TwoBlockMasks(distance_max + 2);
  for (size_t m = 0; m < masks.size(); ++m) {
    if (progress) progress(static_cast<double>(m) / static_cast<double>(masks.size()));
    const uint64_t mask = masks[m];
    std::sort(records.begin(), records.end(), [mask](const PairRecord& a, const PairRecord& b) {
      return std::tuple(a.simhash & mask, a.time) < std::tuple(b.simhash & mask, b.time);
    });
    for (size_t i = 0; i < records.size(); ++i) {
      for (size_t j = i + 1; j < records.size(); ++j) {
        const uint64_t differing = records[i].simhash ^ records[j].simhash;
        if ((differing & mask) != 0 || records[j].time - records[i].time > window) break;
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

}  // namespace neardup
