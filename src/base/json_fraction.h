// Whether JSON holds numbers that are not whole.
#pragma once

#include <algorithm>

namespace neardup {

/// True if a number anywhere in the value has a fraction or an exponent, or is too large for 64
/// bits. The JSON library casts such a number when it is read as an integer, which is undefined if
/// it does not fit. Check it before. The value must not be nested deeper than kJsonDepthMax.
template <class Json>
bool HasFraction(const Json& json) {
  if (!json.is_structured()) return json.is_number_float();
  return std::any_of(json.begin(), json.end(), [](const Json& part) { return HasFraction(part); });
}

}  // namespace neardup
