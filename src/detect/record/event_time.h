// Reads the event time from the text of a field.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "neardup/options.h"

namespace neardup {

/// Milliseconds since 1970-01-01 UTC; nullopt if the whole text is not a time of this format in the
/// years 1 to 9999. RFC 3339: fractions below a millisecond are cut off, and a leap second (60)
/// counts as 59.999. Seconds are rounded to the nearest millisecond. Numbers may have an exponent,
/// because some producers write large numbers so.
std::optional<int64_t> ParseEventTime(std::string_view text, TimeFormat format);

/// What ParseEventTime expects, for error texts.
const char* Expectation(TimeFormat format);

}  // namespace neardup
