// Compares the live stream of a lane with what the lane was tuned on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lane/ports.h"
#include "lane/probe.h"
#include "learn/drift.h"
#include "learn/stream_profile.h"
#include "neardup/options.h"

namespace neardup {

/// What a window of the live stream shows.
struct DriftReport {
  std::vector<AspectDrift> aspects;  ///< of this window, one for each DriftAspect
  /// This window and the one before it have drifted. A single one may be an odd hour.
  bool detected = false;
  bool changed = false;  ///< `detected` is not what it was in the report before
};

/// Profiles windows of records that follow one another, as many as the reference holds. A new
/// window begins at most once a minute, so that the work stays small however fast the stream is.
/// A window that an abort or a loss of the lane breaks off is dropped, because its records come
/// again. One owner thread, that of the lane.
class DriftWatch final : public SeesLane<DriftWatch> {
 public:
  /// `options` are the lane's. Without a reference of the same options, the first window becomes
  /// the reference. `report` is called when a window ends. The clock must outlive the watch.
  DriftWatch(const FilterOptions& options, std::optional<StreamProfile> reference, Clock& clock,
             std::function<void(const DriftReport&)> report);

  void Saw(const event::BatchFingerprinted& seen);
  void Saw(const event::TransactionAborted& seen);
  void Saw(const event::LaneLost& seen);
  void Saw(const auto& /*ignored*/) {}

  bool has_reference() const { return reference_.has_value(); }

  static constexpr int64_t kPeriodMs = 60'000;

 private:
  void EndWindow();

  std::optional<StreamProfile> reference_;
  Clock& clock_;
  std::function<void(const DriftReport&)> report_;
  StreamProfiler profiler_;
  int64_t next_at_ms_ = 0;  ///< no window begins before
  int drifting_ = 0;        ///< windows in a row that have drifted
  bool detected_ = false;
};

}  // namespace neardup
