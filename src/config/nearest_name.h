// What somebody may have meant by a name that does not exist.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
size_t EditDistance(std::string_view a, std::string_view b);

/// The candidate with the smallest distance, if it is near enough to be a slip.
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates);

/// For a path that is no setting: "unknown setting, did you mean window.window_ms?".
std::string UnknownSettingText(std::string_view path);

}  // namespace neardup
