// Percent-encoding (RFC 3986, section 2.1) of text inside route headers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace neardup {

/// Appends `text`; every byte but ASCII letters, digits and -._~/:,()' becomes %XX.
void AppendPercentEncoded(std::string& out, std::string_view text);
/// nullopt when a byte stands unencoded that must not, or a '%' has no two hex digits behind it.
std::optional<std::string> PercentDecoded(std::string_view text);

}  // namespace neardup
