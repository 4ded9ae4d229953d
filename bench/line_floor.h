// What a processor's cache misses cost, the floor of every large index.
#pragma once

#include <cstddef>

namespace neardup {

/// Nanoseconds to read one cache line at random out of `bytes`, many at a time: the addresses do
/// not depend on what is read.
double RandomLineNs(size_t bytes);

}  // namespace neardup
