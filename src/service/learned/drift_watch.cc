#include "learned/drift_watch.h"

#include <algorithm>
#include <utility>

namespace neardup {
namespace {

constexpr int kWindowsInARow = 2;

/// Other options give other counts, and the difference would pass for drift.
std::optional<StreamProfile> OfTheseOptions(std::optional<StreamProfile> reference,
                                            const FilterOptions& options) {
  const bool usable = reference && reference->options == ProfiledOptions(options) &&
                      reference->records >= kDriftRecordsMin;
  return usable ? std::move(reference) : std::nullopt;
}

size_t WindowOf(const std::optional<StreamProfile>& reference) {
  return reference ? std::min<size_t>(reference->records, kProfiledRecords) : kProfiledRecords;
}

}  // namespace

DriftWatch::DriftWatch(const FilterOptions& options, std::optional<StreamProfile> reference,
                       Clock& clock, std::function<void(const DriftReport&)> report)
    : reference_(OfTheseOptions(std::move(reference), options)),
      clock_(clock),
      report_(std::move(report)),
      profiler_(options, WindowOf(reference_)) {}

void DriftWatch::Saw(const event::BatchFingerprinted& seen) {
  if (profiler_.records() == 0) {
    const int64_t now_ms = clock_.SteadyMs();
    if (now_ms < next_at_ms_) return;
    next_at_ms_ = now_ms + kPeriodMs;
  }
  for (size_t i = 0; i < seen.batch.size() && !profiler_.complete(); ++i) {
    const Message& message = seen.batch[i];
    profiler_.Add({message.position, message.timestamp_ms, message.value}, seen.records[i]);
  }
  if (profiler_.complete()) EndWindow();
}

void DriftWatch::EndWindow() {
  const StreamProfile live = profiler_.Take();
  if (!reference_) reference_ = live;
  DriftReport report;
  report.aspects = Compare(*reference_, live);
  drifting_ = Drifted(report.aspects).empty() ? 0 : drifting_ + 1;
  report.detected = drifting_ >= kWindowsInARow;
  report.changed = report.detected != detected_;
  detected_ = report.detected;
  report_(report);
}

void DriftWatch::Saw(const event::TransactionAborted&) { profiler_.Drop(); }

void DriftWatch::Saw(const event::LaneLost&) { profiler_.Drop(); }

}  // namespace neardup
