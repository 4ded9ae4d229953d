// Addresses of machines in running text.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace neardup {

/// Where the address that begins at `at` ends. FORMAT: four numbers up to 255 with points between,
/// after and before which no further ".digit" stands, and `:port`; or a longest run of hex
/// digits, ':' and '.' from the beginning of a word that, without a '.' or ':' at its end, is an
/// IPv6 address (RFC 4291) with at least one decimal digit, and `%zone`; or such a one in brackets
/// and `:port`. A port has 1 to 5 digits.
std::optional<size_t> MaskedIpEnd(std::string_view text, size_t at);

}  // namespace neardup
