// The bits of RFC 8259 that simdjson's On-Demand reader leaves to its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neardup {

enum class JsonKind : uint8_t { kObject, kArray, kString, kNumber, kBoolean, kNull };

/// With its article, for error texts.
const char* Name(JsonKind kind);

/// What a number, true, false or null is; nullopt when the text is none of them.
std::optional<JsonKind> ScalarKind(std::string_view text);

/// Whether the text is one number of the JSON grammar, of any size.
bool IsJsonNumber(std::string_view text);

/// Takes JSON white space off the end.
std::string_view TrimEnd(std::string_view text);

/// Whether the raw text of a string (escapes as written) has a \uD800..\uDFFF escape that is not
/// half of a pair.
bool HasLoneSurrogate(std::string_view raw);

/// Offset of the first byte that is not part of a whole UTF-8 character; size if there is none.
size_t FirstInvalidUtf8(std::string_view text);

}  // namespace neardup
