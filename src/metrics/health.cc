#include "metrics/health.h"

namespace neardup {

Health::Health(const Clock& clock, int64_t step_ms_max)
    : clock_(clock), step_ms_max_(step_ms_max), stepped_at_ms_(clock.SteadyMs()) {}

void Health::PhaseChanged(LanePhase phase) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  stepped_at_ms_ = clock_.SteadyMs();
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
    return {false, "the lane made no step for " + std::to_string(silent_ms / 1000) + " s; it is " +
                       Name(phase_)};
  }
  return {true, "alive"};
}

HealthAnswer Health::Ready() const {
  const std::lock_guard lock(mutex_);
  const bool ready = phase_ == LanePhase::kActive || phase_ == LanePhase::kStandby;
  return {ready, Name(phase_)};
}

}  // namespace neardup
