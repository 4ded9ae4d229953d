// Names what bytes are that are no JSON object, and says how to make one of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace neardup {

struct ForeignFormat {
  std::string what;    ///< with its article: "a JSON array"
  std::string remedy;  ///< what a person can do
  /// Where it begins. The bytes before it are a JSON object, if there are any.
  size_t at = 0;
};

/// Judges a payload that was refused, by its beginning. nullopt if nothing is known about it.
std::optional<ForeignFormat> FormatOfPayload(std::string_view payload);

/// The format of a file with this beginning, if it is not JSON Lines: compressed or binary files,
/// other encodings, and JSON in another arrangement, such as an array, objects over several lines,
/// or objects with commas between them. Most of the values decide, because one damaged line among
/// good lines proves nothing. nullopt for any other file.
///
/// `beginning` holds at least the first line, and `whole` says that it is the whole file. `offset`
/// is the number of bytes of the file before it.
std::optional<ForeignFormat> FormatOfFile(std::string_view beginning, bool whole,
                                          size_t offset = 0);

}  // namespace neardup
