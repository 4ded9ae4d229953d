// Cache lines on their way before they are needed.
#pragma once

namespace neardup {

/// Fetches the line of an address that need not be valid into the processor's second cache. For
/// many at a time: the first cache has few places for lines that are under way, and makes random
/// lines of a large memory twice as expensive (measured on an AMD EPYC, Zen 4, of 128 MB: 9 ns, by
/// way of the second one 4).
inline void FetchLine(const void* address) {
  __builtin_prefetch(address, 0, 2);
  // GCC 12 takes a function that does nothing but this for one without effect, and drops calls.
  asm volatile("");
}

}  // namespace neardup
