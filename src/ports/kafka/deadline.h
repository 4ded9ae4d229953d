// A point in time that a wait must not pass.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace neardup {

class Deadline {
 public:
  explicit Deadline(int timeout_ms)
      : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms)) {}

  std::chrono::steady_clock::time_point end() const { return end_; }
  bool passed() const { return std::chrono::steady_clock::now() >= end_; }
  /// Milliseconds left, at most `most_ms`; 0 when the deadline has passed.
  int left_ms(int most_ms) const {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<int64_t>(left.count(), 0, most_ms));
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace neardup
