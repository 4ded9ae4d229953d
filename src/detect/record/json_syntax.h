// Checks of JSON syntax (RFC 8259) that simdjson's On-Demand reader leaves to its caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neardup {

enum class JsonKind : uint8_t { kObject, kArray, kString, kNumber, kBoolean, kNull };

/// In UTF-8. It may stand before JSON, and belongs to no value (RFC 8259, section 8.1).
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// With its article, for error texts: "an object".
const char* Name(JsonKind kind);

/// The kind of a number, true, false or null; nullopt if the text is none of them.
std::optional<JsonKind> ScalarKind(std::string_view text);

/// Whether the whole text is a number of the JSON grammar, of any size.
bool IsJsonNumber(std::string_view text);

/// The text without JSON white space at its end.
std::string_view TrimEnd(std::string_view text);

/// Whether a string, with its escapes as they are written, has an escape \uD800 to \uDFFF that is
/// not half of a surrogate pair.
bool HasLoneSurrogate(std::string_view raw);

/// Offset of the first byte that is not part of a whole UTF-8 character; the size if all are.
size_t FirstInvalidUtf8(std::string_view text);

// What is checked of JSON before the JSON library does more with it.

/// The JSON library prints, compares and flattens a value by recursion, so a deep one ends the
/// process. Whatever this program reads with that library is refused if it is deeper.
inline constexpr size_t kJsonDepthMax = 1024;

/// Whether more than `depth_max` arrays and objects are open at one place. The text may be broken.
bool NestsDeeperThan(std::string_view json, size_t depth_max = kJsonDepthMax);

/// Whether a value of the JSON library holds a number that has a fraction or an exponent, or is too
/// large for 64 bits. The library casts such a number when it is read as an integer, and that is
/// undefined if it does not fit. The value must not be deeper than kJsonDepthMax.
template <class Json>
bool HasFraction(const Json& json) {
  if (!json.is_structured()) return json.is_number_float();
  return std::any_of(json.begin(), json.end(), [](const Json& part) { return HasFraction(part); });
}

}  // namespace neardup
