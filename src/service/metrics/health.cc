#include "service/metrics/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace neardup {

Health::Health(const Clock& clock, const HealthLimits& limits)
    : clock_(clock), limits_(limits), stepped_at_ms_(clock.SteadyMs()) {}

void Health::Take(const event::PhaseChanged& seen) {
  phase_ = seen.phase;
  if (seen.phase == LanePhase::kActive) caught_up_ = true;
  ForgetProgress();
  stepped_at_ms_ = clock_.SteadyMs();
}

void Health::ForgetProgress() {
  uncommitted_since_ms_.reset();
  lag_records_.clear();
}

void Health::Take(const event::Followed&) {
  failure_.clear();  // another instance has the lane, and this one keeps up with it
}

void Health::Take(const event::BatchPolled&) {
  polled_at_ms_ = clock_.SteadyMs();
  if (!uncommitted_since_ms_) uncommitted_since_ms_ = polled_at_ms_;
}

void Health::Take(const event::TransactionSized& seen) {
  limited_bytes_max_.reset();
  if (seen.limited) limited_bytes_max_ = seen.bytes_max;
}

void Health::Take(const event::LaneLost& seen) {
  // A fenced instance gave way to another one, and can take over again.
  failure_ = seen.error.code == ErrorCode::kFenced ? "" : seen.error.text;
  failed_at_ms_ = clock_.SteadyMs();
}

void Health::Take(const event::InputLag& seen) {
  const auto lagging = [](const auto& each) { return each.second > 0; };
  if (std::none_of(lag_records_.begin(), lag_records_.end(), lagging)) {
    polled_at_ms_ = clock_.SteadyMs();
  }
  lag_records_[seen.input] = seen.records;
}

void Health::Take(const event::InputUnreachable& seen) {
  why_unreachable_.erase(seen.input);
  if (seen.unreachable) why_unreachable_.emplace(seen.input, seen.why);
}

void Health::Stepped() {
  const std::lock_guard lock(mutex_);
  stepped_at_ms_ = clock_.SteadyMs();
}

void Health::AskForBrokers(std::function<bool()> answer) {
  const std::lock_guard lock(mutex_);
  brokers_answer_ = std::move(answer);
}

std::string Health::SlowText() const {
  if (!limited_bytes_max_) return "";
  return fmt::format(
      "; transactions take too long to send and hold at most {} bytes now: a quota of the brokers "
      "or a slow connection limits this instance",
      *limited_bytes_max_);
}

HealthAnswer Health::Alive() const {
  const std::lock_guard lock(mutex_);
  if (phase_ == LanePhase::kFailed) return {false, "failed"};
  const int64_t silent_ms = clock_.SteadyMs() - stepped_at_ms_;
  if (phase_ != LanePhase::kRestoring && silent_ms > limits_.step_ms_max) {
    return {
        false,
        fmt::format(
            "the lane has made no step for {} s, expected one at least every {} s; its phase is {}",
            silent_ms / 1000, limits_.step_ms_max / 1000, Name(phase_))};
  }
  return {true, "alive"};
}

HealthAnswer Health::Ready() const {
  const std::lock_guard lock(mutex_);
  const HealthAnswer lane = LaneReady(clock_.SteadyMs());
  if (!lane.ok || !brokers_answer_ || brokers_answer_()) return lane;
  return {false, fmt::format("{}, but no broker answers", Name(phase_))};
}

HealthAnswer Health::LaneReady(int64_t now_ms) const {
  switch (phase_) {
    case LanePhase::kStandby:
      return StandbyReady(now_ms);
    case LanePhase::kActive:
      return ActiveReady(now_ms);
    case LanePhase::kLearning:
      // A topic may be empty for days; nothing waits for this instance then.
      return {true, Name(phase_)};
    default:
      return {false, Name(phase_)};
  }
}

HealthAnswer Health::StandbyReady(int64_t now_ms) const {
  if (!caught_up_) return {false, "standby, still reading the changelog"};
  if (entries_missing_ > 0) {
    return {false,
            fmt::format("standby; it lacks {} live entries, because records of the changelog "
                        "are lost: see docs/recovery.md#the-changelog-lost-records",
                        entries_missing_)};
  }
  if (!failure_.empty() && now_ms - failed_at_ms_ < limits_.failure_ms) {
    return {false, fmt::format("standby; it lost the lane or could not take it {} s ago: {}{}",
                               (now_ms - failed_at_ms_) / 1000, failure_, SlowText())};
  }
  return {true, Name(phase_)};
}

HealthAnswer Health::ActiveReady(int64_t now_ms) const {
  if (uncommitted_since_ms_ && now_ms - *uncommitted_since_ms_ > limits_.commit_ms_max) {
    return {false, fmt::format("active, but records have waited {} s for their commit, expected at "
                               "most {} s{}",
                               (now_ms - *uncommitted_since_ms_) / 1000,
                               limits_.commit_ms_max / 1000, SlowText())};
  }
  if (uncommitted_since_ms_ || now_ms - polled_at_ms_ <= limits_.poll_ms_max) {
    return {true, Name(phase_)};
  }
  for (const auto& [input, records] : lag_records_) {
    if (records == 0) continue;
    const auto found = why_unreachable_.find(input);
    const std::string why = found == why_unreachable_.end() ? "" : found->second;
    return {false,
            fmt::format("active, but {} records of {}/{} wait and no record came for {} s; {}",
                        records, input.topic, input.partition, (now_ms - polled_at_ms_) / 1000,
                        why.empty() ? "the partition has no leader, or a producer holds a "
                                      "transaction open"
                                    : why)};
  }
  return {true, Name(phase_)};
}

}  // namespace neardup
