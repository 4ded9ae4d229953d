// Whether the process is alive and ready, for /healthz and /readyz.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/state/route.h"

namespace neardup {

struct HealthAnswer {
  bool ok = false;
  std::string text;  ///< one line for a person
};

/// Times in milliseconds.
struct HealthLimits {
  /// The longest time without a step of the lane. It is longer than any single wait for a broker.
  int64_t step_ms_max = 120'000;
  /// The longest time that polled records wait for their commit.
  int64_t commit_ms_max = 5'000;
  /// The longest time that an input has a lag while no record of any input is polled.
  int64_t poll_ms_max = 30'000;
  /// How long a failed attempt to take the lane counts against a standby.
  int64_t failure_ms = 60'000;
};

/// The lane's thread calls the events and Stepped, any thread Alive and Ready. Alive does not
/// depend on Kafka: a restart of this process does not help against a broker that is down. Ready
/// says whether records flow, or would flow after a take-over.
class Health final : public SeesLane<Health> {
 public:
  /// The clock must outlive this object.
  Health(const Clock& clock, const HealthLimits& limits);

  /// Takes what the event says of the health.
  void Saw(const auto& seen) {
    const std::lock_guard lock(mutex_);
    Take(seen);
  }
  /// Call it after every step of the lane.
  void Stepped();
  /// `answer` says whether any broker answers. Ready calls it, in any thread, until replaced.
  /// If `answer` is empty, nothing is known.
  void AskForBrokers(std::function<bool()> answer);

  /// True while the lane has not failed and its last step or change of phase is at most step_ms_max
  /// ago. A restore is one long step, and may take any time.
  HealthAnswer Alive() const;
  /// False while no broker answers. Otherwise true for
  ///   a lane that learns from its stream before the first record
  ///   an active lane that commits what it polls and polls what there is
  ///   a standby that can take over at once: it has caught up with the changelog and lacks no live
  ///   entry, or was active earlier, and no attempt of it to take the lane failed lately
  HealthAnswer Ready() const;

 private:
  // The caller holds mutex_.
  void Take(const event::PhaseChanged& seen);
  void Take(const event::CaughtUp&) { caught_up_ = true; }
  void Take(const event::Gauges& seen) { entries_missing_ = seen.gauges.entries_missing; }
  void Take(const event::Followed& seen);
  void Take(const event::BatchPolled& seen);
  void Take(const event::TransactionCommitted&) { uncommitted_since_ms_.reset(); }
  void Take(const event::TransactionSized& seen);
  void Take(const event::LaneLost& seen);
  void Take(const event::Promoted&) { failure_.clear(); }
  void Take(const event::InputLag& seen);
  void Take(const event::InputUnreachable& seen);
  void Take(const auto& /*ignored*/) {}

  HealthAnswer LaneReady(int64_t now_ms) const;
  HealthAnswer StandbyReady(int64_t now_ms) const;
  HealthAnswer ActiveReady(int64_t now_ms) const;
  void ForgetProgress();
  /// Why transactions may be slow; empty if nothing is known.
  std::string SlowText() const;

  const Clock& clock_;
  const HealthLimits limits_;
  mutable std::mutex mutex_;  ///< guards the members below
  std::function<bool()> brokers_answer_;
  LanePhase phase_ = LanePhase::kStarting;
  bool caught_up_ = false;
  uint64_t entries_missing_ = 0;
  /// Times of Clock::SteadyMs.
  int64_t stepped_at_ms_ = 0;
  std::optional<int64_t> uncommitted_since_ms_;  ///< since when polled records wait
  int64_t polled_at_ms_ = 0;                     ///< or since when there is a lag, if that is later
  std::map<InputPartition, int64_t> lag_records_;
  std::map<InputPartition, std::string> why_unreachable_;  ///< event::InputUnreachable::why
  std::optional<size_t> limited_bytes_max_;  ///< event::TransactionSized, while it is limited
  /// The last failed attempt to take or keep the lane since the lane was taken.
  std::string failure_;
  int64_t failed_at_ms_ = 0;
};

}  // namespace neardup
