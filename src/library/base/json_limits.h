// What is checked of JSON before the JSON library does more with it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace neardup {

/// The JSON library prints, compares and flattens a value by recursion, so a deep one ends the
/// process. Whatever this program reads with that library is refused if it is deeper.
inline constexpr size_t kJsonDepthMax = 1024;

/// Whether more than `depth_max` arrays and objects are open at one place. The text may be broken.
bool NestsDeeperThan(std::string_view json, size_t depth_max = kJsonDepthMax);

/// Whether a value of the JSON library holds a number that has a fraction or an exponent, or is too
/// large for 64 bits. The library casts such a number when it is read as an integer, and that is
/// undefined if it does not fit. The value must not be deeper than kJsonDepthMax.
template <class Json>
bool HasFraction(const Json& json) {
  if (!json.is_structured()) return json.is_number_float();
  return std::any_of(json.begin(), json.end(), [](const Json& part) { return HasFraction(part); });
}

}  // namespace neardup
