// The one hash of the project.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

/// XXH3, 64 bits (https://github.com/Cyan4973/xxHash, stable since version 0.8.0). FORMAT:
/// fingerprints and the checksums of stored state are made of it, so it never changes;
/// tests/base/hash_test.cc holds it against the published vectors. Not for secrets: collisions can
/// be made on purpose.
uint64_t Hash64(std::string_view bytes, uint64_t seed = 0);

}  // namespace neardup
