#include "lane/lane_retry.h"

#include <algorithm>

namespace neardup {

namespace {

// After fencing, another instance may be active. By then the lease has heard of it.
constexpr int64_t kFencedBackoffMs = 1000;
// Refusals that are this many of the longest waits apart do not belong together.
constexpr int64_t kRefusalsApart = 3;

}  // namespace

int64_t LaneRetry::wait_ms() const {
  return std::max<int64_t>(0, not_before_ms_ - clock_.SteadyMs());
}

void LaneRetry::Worked() {
  has_worked_ = true;
  backoff_ms_ = 0;
}

void LaneRetry::StepDone() {
  if (clock_.SteadyMs() - promoted_at_ms_ > options_.retry_backoff_max_ms) backoff_ms_ = 0;
}

void LaneRetry::Lost(const Error& error) {
  backoff_ms_ =
      std::clamp(backoff_ms_ * 2, options_.retry_backoff_min_ms, options_.retry_backoff_max_ms);
  const int64_t wait_ms =
      error.code == ErrorCode::kFenced ? std::max(backoff_ms_, kFencedBackoffMs) : backoff_ms_;
  not_before_ms_ = clock_.SteadyMs() + wait_ms;
}

bool LaneRetry::IsRefusedForGood(const Error& error) {
  if (has_worked_ || error.code != ErrorCode::kAuth) {
    refused_since_ms_.reset();
    return false;
  }
  const int64_t now_ms = clock_.SteadyMs();
  // A standby may be refused for a moment, and again much later.
  if (refused_since_ms_ &&
      now_ms - refused_last_ms_ > kRefusalsApart * options_.retry_backoff_max_ms) {
    refused_since_ms_.reset();
  }
  refused_last_ms_ = now_ms;
  if (!refused_since_ms_) refused_since_ms_ = now_ms;
  return now_ms - *refused_since_ms_ >= options_.lease_give_up_ms;
}

}  // namespace neardup
