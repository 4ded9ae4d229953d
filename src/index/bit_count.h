// How many bits are set.
#pragma once

#include <cstdint>

namespace neardup {

/// std::popcount is a call into a library on processors of the first generation, for which the
/// binary is built.
constexpr int BitCount(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<int>(x * 0x0101010101010101 >> 56);
}

}  // namespace neardup
