// Which entry numbers are alive.
#pragma once

#include <cstdint>

namespace neardup {

/// The numbers of live entries, cut to 32 bits. Right while fewer than 2^32 are live and no dead
/// one is kept for as many insertions.
struct LiveIds {
  uint32_t begin = 0;
  uint32_t count = 0;

  bool Holds(uint32_t id) const { return id - begin < count; }
};

}  // namespace neardup
