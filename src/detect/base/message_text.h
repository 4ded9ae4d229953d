// Text for messages: from records, and the name that was probably meant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// Writes control characters as JSON does, such as \u001B, so that keys and values of records can
/// neither change a terminal nor add a line to a log. Tabs stay, and line ends with `keep_lines`.
std::string PrintableText(std::string_view text, bool keep_lines);

/// The text, or its first `bytes_max` bytes; never a part of a UTF-8 character.
std::string_view CutAtCharacter(std::string_view text, size_t bytes_max);

/// The first names, and how many more there are: "a, b and 3 more".
std::string ListText(std::span<const std::string> names, size_t shown);

/// The same error, with the name of a file, key or topic in front of its text: "a.json: not JSON".
Error Named(std::string_view name, Error error);

// Finds the name that was probably meant.

/// The fewest insertions, deletions, replacements and swaps of neighbours that turn one text into
/// the other (optimal string alignment).
size_t EditDistance(std::string_view a, std::string_view b);

/// The candidate nearest to a name that does not exist; nullopt if none is near enough to be meant.
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates);

}  // namespace neardup
