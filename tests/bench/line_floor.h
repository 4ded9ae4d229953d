// What a processor's cache misses cost, the floor of every large index.
#pragma once

#include <cstddef>

namespace neardup {

/// Nanoseconds to read one cache line at random out of many, where the addresses do not depend on
/// what is read.
struct LineCost {
  double load_ns = 0;     ///< by loads alone, as many at a time as the processor likes
  double fetched_ns = 0;  ///< fetched some time before
};
/// Of `bytes` of memory.
LineCost RandomLines(size_t bytes);

}  // namespace neardup
