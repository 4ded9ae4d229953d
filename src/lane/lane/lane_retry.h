// When a lane that was lost is taken again, and when not any more.
#pragma once

#include <cstdint>
#include <optional>

#include "lane/lane_options.h"
#include "lane/ports.h"
#include "neardup/result.h"

namespace neardup {

/// One owner thread; the options and the clock must outlive it.
class LaneRetry {
 public:
  LaneRetry(const LaneOptions& options, const Clock& clock) : options_(options), clock_(clock) {}

  /// Time until the lane may be taken again; 0 if it may be taken now.
  int64_t wait_ms() const;
  /// The lane is active.
  void Promoted() { promoted_at_ms_ = clock_.SteadyMs(); }
  /// The lane has committed more than the deltas of a promotion.
  void Worked();
  /// A step of the active lane went well, even if nothing has arrived to commit.
  void StepDone();
  /// The lane was lost. Each loss in a row makes the wait longer.
  void Lost(const Error& error);
  /// A lane that has worked lost a right, which may come back. If the right was never there since
  /// the start, it is missing in the set-up, and after LaneOptions::lease_give_up_ms the end of the
  /// process tells so. Call it with each error that loses the lane.
  bool IsRefusedForGood(const Error& error);

 private:
  const LaneOptions& options_;
  const Clock& clock_;

  int64_t not_before_ms_ = 0;
  int64_t backoff_ms_ = 0;
  int64_t promoted_at_ms_ = 0;
  bool has_worked_ = false;
  std::optional<int64_t> refused_since_ms_;
  int64_t refused_last_ms_ = 0;
};

}  // namespace neardup
