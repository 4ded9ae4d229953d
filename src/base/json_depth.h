// How deep JSON is nested.
#pragma once

#include <cstddef>
#include <string_view>

namespace neardup {

/// The JSON library prints, compares and flattens a value by recursion, so a deep one ends the
/// process. Whatever this program reads with that library is refused if it is deeper.
inline constexpr size_t kJsonDepthMax = 1024;

/// Whether more than `depth_max` arrays and objects are open at one place. The text may be broken.
bool NestsDeeperThan(std::string_view json, size_t depth_max = kJsonDepthMax);

}  // namespace neardup
