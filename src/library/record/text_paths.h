// The names of the places where the texts of a record stand, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/field_extractor.h"

namespace neardup {

/// For each piece, its path as record.fields would name it: a top-level name, or a JSON Pointer.
/// `payload` must be the document that the pieces come from. A path that is not found is empty.
std::vector<std::string> TextPaths(std::string_view payload, std::span<const TextPiece> pieces);

}  // namespace neardup
