// Event time out of a field's text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "neardup/options.h"

namespace neardup {

/// Milliseconds since 1970-01-01 UTC; nullopt when the text is not wholly a time of this format, or
/// one outside the years 1 to 9999. RFC 3339: fractions below a millisecond are cut off, and a leap
/// second (60) is taken as 59.999. Seconds are rounded to the nearest millisecond. Numbers may be
/// written with an exponent, as some producers write large ones.
std::optional<int64_t> ParseEventTime(std::string_view text, TimeFormat format);

/// What ParseEventTime expects, for error texts.
const char* Expectation(TimeFormat format);

}  // namespace neardup
