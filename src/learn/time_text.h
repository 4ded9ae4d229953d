// Texts that say when something happened.
#pragma once

#include <string_view>

namespace neardup {

/// Whether the text is wholly a time of day, with its date or with seconds: RFC 3339, seconds or
/// milliseconds since 1970 between 2001 and 2033, and what logs and web forms write, such as
/// 2017/6/8 17:31:20 and Dec 10 06:55:46. A date alone is none: it may be what a record is about.
bool IsTimeText(std::string_view text);

}  // namespace neardup
