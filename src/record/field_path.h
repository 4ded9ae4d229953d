// How the configuration names a place in a JSON document.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// Keys from the root down. A decimal key also names an array element.
using FieldPath = std::vector<std::string>;

/// Reads a top-level name, or a JSON Pointer (RFC 6901) when it starts with '/'. The error's text
/// says what is wrong with the selector, not where in the configuration it stands.
Result<FieldPath> ParseFieldPath(std::string_view selector);

/// The JSON Pointer of a path. Equal paths have equal texts, however they were written.
std::string ToPointer(const FieldPath& path);

/// Whether `path` is `ancestor` or lies below it.
bool IsWithin(const FieldPath& path, const FieldPath& ancestor);

}  // namespace neardup
