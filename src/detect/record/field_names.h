// The fields that a payload has, for messages about fields that it lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/base/hash.h"
#include "detect/record/field_extractor.h"

namespace neardup {

/// The fields of a JSON object, as record.fields names them: top-level names, and JSON Pointers for
/// members of the objects in it, two levels deep. At most `names_max`, in the order of the
/// document. Empty if the payload is not an object.
std::vector<std::string> FieldNames(std::string_view payload, size_t names_max);

/// The name that a field selector and FieldNames share: /title is title.
std::string_view PlainFieldName(std::string_view selector);

// The hash that tells where in a document a text stands. FORMAT: as TextPiece::path_hash.

inline constexpr uint64_t kRootPathHash = 0;

inline uint64_t MemberPathHash(uint64_t parent, std::string_view key) {
  return Hash64(key, parent);
}

inline uint64_t ElementPathHash(uint64_t parent, uint64_t index) {
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(index >> (8 * i));
  return Hash64({bytes, sizeof bytes}, ~parent);
}

// The names of the places where the texts of a record stand, for people.

/// For each piece, its path as record.fields would name it: a top-level name, or a JSON Pointer.
/// `payload` must be the document that the pieces come from. A path that is not found is empty.
std::vector<std::string> TextPaths(std::string_view payload, std::span<const TextPiece> pieces);

}  // namespace neardup
