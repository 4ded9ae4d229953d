// The hash functions that bench_hash compares.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

namespace neardup {

/// A hash of up to 128 bits. Bits that a hash function does not have are 0.
struct Digest {
  uint64_t low = 0;
  uint64_t high = 0;

  auto operator<=>(const Digest&) const = default;
};

struct HashFunction {
  const char* name = "";
  /// Number of bits that can be 1: the lowest of the digest.
  int bits = 0;
  Digest (*hash)(std::string_view) = nullptr;
  /// Hashes every text and adds up the low words, so that the compiler keeps every call. This is
  /// timed: each text costs one call of a function in another object file.
  uint64_t (*sum)(std::span<const std::string_view>) = nullptr;
};

/// All functions; the last is the one the project uses (base/hash.h).
std::span<const HashFunction> HashFunctions();

}  // namespace neardup
