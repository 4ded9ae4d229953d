// Names what bytes are that are no JSON object, and says how to make one of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace neardup {

struct ForeignFormat {
  std::string what;    ///< with its article: "a JSON array"
  std::string remedy;  ///< what a person can do
};

/// Judges a payload that was refused, by its beginning. nullopt if nothing is known about it.
std::optional<ForeignFormat> FormatOfPayload(std::string_view payload);

/// What a file is that begins with this line, if a file like this holds no JSON Lines: compressed
/// or binary files, and a JSON array over several lines. nullopt for any other file.
std::optional<ForeignFormat> FormatOfFile(std::string_view first_line);

}  // namespace neardup
