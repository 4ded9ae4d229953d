// What any of the compared hashes gives, in one form.
#pragma once

#include <compare>
#include <cstdint>

namespace neardup {

/// A hash of up to 128 bits; bits a hash has not are 0.
struct Digest {
  uint64_t low = 0;
  uint64_t high = 0;

  auto operator<=>(const Digest&) const = default;
};

}  // namespace neardup
