#include "base/hash.h"

// Most calls hash one token of a few bytes; compiled in place it spares them a second call.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace neardup {

uint64_t Hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace neardup
