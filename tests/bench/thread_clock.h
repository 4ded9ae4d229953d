// Processor time of a thread, to which other programs add nothing.
#pragma once

#include <ctime>

namespace neardup {

/// Nanoseconds for which this thread has had a processor.
inline double ThreadNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace neardup
