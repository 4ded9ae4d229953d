#include "base/hash.h"

// Most calls hash one token of a few bytes; compiled in place that takes half the time of a call
// into the shared library.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace neardup {

uint64_t Hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace neardup
