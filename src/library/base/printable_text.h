// Text from records for a terminal or a log.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

/// Writes control characters as JSON does, such as \u001B, so that keys and values of records can
/// neither change a terminal nor add a line to a log. Tabs stay, and line ends with `keep_lines`.
std::string PrintableText(std::string_view text, bool keep_lines);

}  // namespace neardup
