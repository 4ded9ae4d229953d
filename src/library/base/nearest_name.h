// Finds the name that was probably meant.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// The fewest insertions, deletions, replacements and swaps of neighbours that turn one text into
/// the other (optimal string alignment).
size_t EditDistance(std::string_view a, std::string_view b);

/// The candidate nearest to a name that does not exist; nullopt if none is near enough to be meant.
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates);

}  // namespace neardup
