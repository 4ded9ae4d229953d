// Numbers as people and files write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace neardup {

/// 16 lower-case hexadecimal digits. FORMAT: never changes, because stored files contain it.
std::string Hex64(uint64_t value);

/// Decimal digits in groups of three: "1,234,567".
std::string Grouped(uint64_t number);

/// "1 record", "1,234 records".
std::string Counted(uint64_t count, std::string_view noun);

}  // namespace neardup
