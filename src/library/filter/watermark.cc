#include "filter/watermark.h"

#include <algorithm>
#include <utility>

namespace neardup {

void Watermark::Observe(uint32_t input, int64_t time_ms) {
  Input& seen = inputs_[input];
  const bool awaited = std::exchange(seen.awaited, false);
  if (time_ms <= seen.time_ms && !stale_ && !awaited) return;
  // Only an input at or before the watermark holds it back; for others the value stays.
  const bool held = awaited || seen.time_ms <= value_ms_;
  seen.time_ms = std::max(seen.time_ms, time_ms);
  if (held || stale_) {
    value_ms_ = value_ms();
    stale_ = false;
  }
}

void Watermark::SetIdle(uint32_t input, bool idle) {
  Input& seen = inputs_[input];
  if (seen.idle == idle) return;
  seen.idle = idle;
  seen.awaited = !idle && seen.time_ms == INT64_MIN;
  stale_ = true;
}

void Watermark::RestoreTime(uint32_t input, int64_t time_ms) {
  Input& seen = inputs_[input];
  seen.time_ms = std::max(seen.time_ms, time_ms);
  seen.committed_ms = std::max(seen.committed_ms, time_ms);
  stale_ = true;
}

void Watermark::BeginCommit() {
  value_ms_ = value_ms();
  committing_ms_ = value_ms_;
  committing_ = true;
  stale_ = false;
  for (auto& [number, input] : inputs_) input.committing_ms = input.time_ms;
}

void Watermark::Commit() {
  if (!committing_) BeginCommit();
  committing_ = false;
  committed_ms_ = committing_ms_;
  for (auto& [number, input] : inputs_) input.committed_ms = input.committing_ms;
}

void Watermark::Rollback() {
  value_ms_ = committed_ms_;
  committing_ = false;
  stale_ = true;
  for (auto& [number, input] : inputs_) input.time_ms = input.committed_ms;
}

int64_t Watermark::value_ms() const {
  int64_t smallest_ms = INT64_MAX;
  int64_t largest_ms = INT64_MIN;
  bool any_busy = false;
  for (const auto& [number, input] : inputs_) {
    if (input.time_ms == INT64_MIN && !input.awaited) continue;
    largest_ms = std::max(largest_ms, input.time_ms);
    if (input.idle) continue;
    any_busy = true;
    smallest_ms = std::min(smallest_ms, input.time_ms);
  }
  return std::max(value_ms_, any_busy ? smallest_ms : largest_ms);
}

int64_t Watermark::time_ms(uint32_t input) const {
  const auto found = inputs_.find(input);
  return found == inputs_.end() ? INT64_MIN : found->second.time_ms;
}

int64_t LatestTime(int64_t now_ms, const WindowOptions& options) {
  return now_ms > INT64_MAX - options.ahead_max_ms ? INT64_MAX : now_ms + options.ahead_max_ms;
}

int64_t HorizonAt(int64_t watermark_ms, const WindowOptions& options) {
  // Both are at most 10 years, so their sum cannot overflow.
  const int64_t kept_ms = options.window_ms + options.lateness_ms;
  return watermark_ms < INT64_MIN + kept_ms ? INT64_MIN : watermark_ms - kept_ms;
}

}  // namespace neardup
