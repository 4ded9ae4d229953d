// Whether the process is alive and ready, for /healthz and /readyz.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "stream/ports.h"
#include "stream/probe.h"

namespace neardup {

struct HealthAnswer {
  bool ok = false;
  std::string text;  ///< one line for a person
};

/// The lane's thread calls the events and Stepped, any thread Alive and Ready. Health does not
/// depend on Kafka: a restart of this process does not help against a broker that is down.
class Health : public PartialProbe {
 public:
  /// Alive becomes false when the lane makes no step for more than step_ms_max milliseconds. The
  /// clock must outlive this object.
  Health(const Clock& clock, int64_t step_ms_max);

  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  /// Call it after every step of the lane.
  void Stepped();

  /// True while the lane has not failed and its last step or change of phase is at most step_ms_max
  /// ago. A restore is one long step, and may take any time.
  HealthAnswer Alive() const;
  /// True while the lane is active, or is a standby that can take over at once: this process has
  /// been active before, or has caught up with the changelog.
  HealthAnswer Ready() const;

 private:
  const Clock& clock_;
  const int64_t step_ms_max_;
  mutable std::mutex mutex_;
  LanePhase phase_ = LanePhase::kStarting;  ///< guarded by mutex_
  bool caught_up_ = false;                  ///< guarded by mutex_
  int64_t stepped_at_ms_ = 0;               ///< guarded by mutex_; of Clock::SteadyMs
};

}  // namespace neardup
