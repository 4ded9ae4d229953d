// Whether the process is alive and ready, as /healthz and /readyz tell.
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

/// The lane's thread calls the events and Stepped, any thread Alive and Ready. Says nothing of
/// Kafka: a broker that is away is no reason to restart this process.
class Health : public Probe {
 public:
  /// The clock must outlive this.
  Health(const Clock& clock, int64_t step_ms_max);

  void PhaseChanged(LanePhase phase) override;
  void CaughtUp(uint64_t seq, uint64_t entries) override;
  /// To be called after every step of the lane.
  void Stepped();

  /// Not failed, and the last step or change of phase is at most step_ms_max ago. A restore is one
  /// long step, and is not held to that.
  HealthAnswer Alive() const;
  /// Active, or standby and able to take over at once: this process has been active before, or has
  /// caught up with the changelog.
  HealthAnswer Ready() const;

 private:
  const Clock& clock_;
  const int64_t step_ms_max_;
  mutable std::mutex mutex_;
  LanePhase phase_ = LanePhase::kStarting;  ///< guarded by mutex_
  bool caught_up_ = false;                  ///< guarded by mutex_
  int64_t stepped_at_ms_ = 0;               ///< guarded by mutex_; steady
};

}  // namespace neardup
