// Recognises texts that are a time.
#pragma once

#include <string_view>

namespace neardup {

/// Whether the whole text is a time of day, with a date or with seconds. Accepted are RFC 3339,
/// seconds or milliseconds since 1970 from 2001 to 2033, and what logs and web forms write, such as
/// "2017/6/8 17:31:20" and "Dec 10 06:55:46". A date without a time of day is not accepted: it may
/// be what the record is about.
bool IsTimeText(std::string_view text);

}  // namespace neardup
