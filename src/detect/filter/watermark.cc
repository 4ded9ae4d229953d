#include "detect/filter/watermark.h"

#include <algorithm>
#include <functional>

namespace neardup {

void Watermark::LargestTimes::Add(int64_t time_ms) {
  if (count == kWitnesses && time_ms <= ms.back()) return;
  if (count < kWitnesses) ++count;
  const auto begin = ms.begin();
  const auto last = begin + static_cast<std::ptrdiff_t>(count) - 1;
  const auto place = std::lower_bound(begin, last, time_ms, std::greater<>());
  std::move_backward(place, last, last + 1);
  *place = time_ms;
}

int64_t Watermark::TimeOf(const Input& input) const {
  const LargestTimes& since = input.since;
  if (since.count < kWitnesses)
    return since.count == 0 ? input.time_ms : std::max(input.time_ms, since.ms[0]);
  const int64_t reached_ms = std::max(input.time_ms, since.ms.back());
  for (const int64_t time_ms : since.ms) {
    if (time_ms <= reached_ms) break;
    const uint64_t jump_ms = static_cast<uint64_t>(time_ms) - static_cast<uint64_t>(reached_ms);
    if (jump_ms <= static_cast<uint64_t>(jump_max_ms_)) return time_ms;
  }
  return reached_ms;
}

void Watermark::Observe(uint32_t input, int64_t time_ms) {
  Input& seen = inputs_[input];
  seen.awaited = false;
  if (time_ms != INT64_MIN) seen.since.Add(time_ms);
}

void Watermark::SetIdle(uint32_t input, bool idle) {
  Input& seen = inputs_[input];
  if (seen.idle == idle) return;
  seen.idle = idle;
  seen.awaited = !idle && TimeOf(seen) == INT64_MIN;
}

void Watermark::RestoreTime(uint32_t input, int64_t time_ms) {
  Input& seen = inputs_[input];
  seen.time_ms = std::max(seen.time_ms, time_ms);
  seen.committed_ms = std::max(seen.committed_ms, time_ms);
}

void Watermark::BeginCommit() {
  value_ms_ = value_ms();
  committing_ = true;
  for (auto& [number, input] : inputs_) {
    input.time_ms = TimeOf(input);
    input.since.count = 0;
  }
}

void Watermark::Commit() {
  if (!committing_) BeginCommit();
  committing_ = false;
  committed_ms_ = value_ms_;
  for (auto& [number, input] : inputs_) input.committed_ms = input.time_ms;
}

void Watermark::Rollback() {
  value_ms_ = committed_ms_;
  committing_ = false;
  for (auto& [number, input] : inputs_) {
    input.time_ms = input.committed_ms;
    input.since.count = 0;
  }
}

int64_t Watermark::value_ms() const {
  int64_t smallest_ms = INT64_MAX;
  int64_t largest_ms = INT64_MIN;
  bool any_busy = false;
  for (const auto& [number, input] : inputs_) {
    const int64_t time_ms = TimeOf(input);
    if (time_ms == INT64_MIN && !input.awaited) continue;
    largest_ms = std::max(largest_ms, time_ms);
    if (input.idle) continue;
    any_busy = true;
    smallest_ms = std::min(smallest_ms, time_ms);
  }
  return std::max(value_ms_, any_busy ? smallest_ms : largest_ms);
}

int64_t Watermark::time_ms(uint32_t input) const {
  const auto found = inputs_.find(input);
  return found == inputs_.end() ? INT64_MIN : TimeOf(found->second);
}

int64_t JumpMax(const WindowOptions& options) { return options.window_ms / 4; }

int64_t LatestTime(int64_t now_ms, const WindowOptions& options) {
  return now_ms > INT64_MAX - options.ahead_max_ms ? INT64_MAX : now_ms + options.ahead_max_ms;
}

int64_t HorizonAt(int64_t watermark_ms, const WindowOptions& options) {
  // Both are at most 10 years, so their sum cannot overflow.
  const int64_t kept_ms = options.window_ms + options.lateness_ms;
  return watermark_ms < INT64_MIN + kept_ms ? INT64_MIN : watermark_ms - kept_ms;
}

}  // namespace neardup
