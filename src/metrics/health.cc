#include "metrics/health.h"

#include <fmt/format.h>

namespace neardup {

Health::Health(const Clock& clock, int64_t step_ms_max)
    : clock_(clock), step_ms_max_(step_ms_max), stepped_at_ms_(clock.SteadyMs()) {}

void Health::PhaseChanged(LanePhase phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  if (phase == LanePhase::kActive) caught_up_ = true;
  stepped_at_ms_ = clock_.SteadyMs();
}

void Health::CaughtUp(uint64_t, uint64_t) {
  const std::lock_guard lock(mutex_);
  caught_up_ = true;
}

void Health::Stepped() {
  const std::lock_guard lock(mutex_);
  stepped_at_ms_ = clock_.SteadyMs();
}

HealthAnswer Health::Alive() const {
  const std::lock_guard lock(mutex_);
  if (phase_ == LanePhase::kFailed) return {false, "failed"};
  const int64_t silent_ms = clock_.SteadyMs() - stepped_at_ms_;
  if (phase_ != LanePhase::kRestoring && silent_ms > step_ms_max_) {
    return {
        false,
        fmt::format(
            "the lane has made no step for {} s, expected one at least every {} s; its phase is {}",
            silent_ms / 1000, step_ms_max_ / 1000, Name(phase_))};
  }
  return {true, "alive"};
}

HealthAnswer Health::Ready() const {
  const std::lock_guard lock(mutex_);
  if (phase_ == LanePhase::kStandby && !caught_up_) {
    return {false, "standby, still reading the changelog"};
  }
  return {phase_ == LanePhase::kActive || phase_ == LanePhase::kStandby, Name(phase_)};
}

}  // namespace neardup
