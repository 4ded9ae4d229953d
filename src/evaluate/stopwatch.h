// Elapsed time, for figures of speed.
#pragma once

#include <chrono>

namespace neardup {

/// Runs from its construction on.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace neardup
