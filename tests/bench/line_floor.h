// The cost of cache misses, which no large index can be faster than.
#pragma once

#include <cstddef>

namespace neardup {

/// Nanoseconds to read a random cache line. The addresses do not depend on what was read.
struct LineCost {
  double load_ns = 0;     ///< by loads; the processor chooses how many run at a time
  double fetched_ns = 0;  ///< by loads of lines that were prefetched some time before
};

/// Measures the costs in a block of `bytes` of memory.
LineCost RandomLines(size_t bytes);

}  // namespace neardup
