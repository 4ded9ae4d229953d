// Numbers as people and files write them.
#pragma once

#include <cstdint>
#include <string>

namespace neardup {

/// 16 lower-case hexadecimal digits. FORMAT: stands in stored files.
std::string Hex64(uint64_t value);

}  // namespace neardup
