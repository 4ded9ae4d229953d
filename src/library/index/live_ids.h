// Which entry numbers are alive.
#pragma once

#include <cstdint>

namespace neardup {

/// The numbers of the live entries, cut to 32 bits. Correct while fewer than 2^32 entries are live
/// and every dead number is dropped before 2^32 further insertions.
struct LiveIds {
  uint32_t begin = 0;
  uint32_t count = 0;

  bool Holds(uint32_t id) const { return id - begin < count; }
};

}  // namespace neardup
