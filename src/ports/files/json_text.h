// A text as JSON writes it.
#pragma once

#include <string>

namespace neardup {

/// With its quotes. Bytes that are not UTF-8 become the replacement character.
std::string JsonText(const std::string& text);

}  // namespace neardup
