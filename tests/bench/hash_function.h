// The hashes that are compared.
#pragma once

#include <span>
#include <string_view>

#include "bench/digest.h"

namespace neardup {

struct HashFunction {
  const char* name = "";
  /// Bits that can be 1; the lowest of the digest.
  int bits = 0;
  Digest (*hash)(std::string_view) = nullptr;
  /// Hashes every text and adds the low words up, so that no call can be left out. This is timed:
  /// each text costs one call of a function that stands in another object file.
  uint64_t (*sum)(std::span<const std::string_view>) = nullptr;
};

/// The project's own (base/hash.h) comes last.
std::span<const HashFunction> HashFunctions();

}  // namespace neardup
