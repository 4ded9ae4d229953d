// The hash that tells where in a document a text stands. FORMAT: as TextPiece::path_hash.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash.h"

namespace neardup {

inline constexpr uint64_t kRootPathHash = 0;

inline uint64_t MemberPathHash(uint64_t parent, std::string_view key) {
  return Hash64(key, parent);
}

inline uint64_t ElementPathHash(uint64_t parent, uint64_t index) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(index >> (8 * i));
  return Hash64({bytes, sizeof bytes}, ~parent);
}

}  // namespace neardup
