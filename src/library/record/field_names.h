// The fields that a payload has, for messages about fields that it lacks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// The fields of a JSON object, as record.fields names them: top-level names, and JSON Pointers for
/// members of the objects in it, two levels deep. At most `names_max`, in the order of the
/// document. Empty if the payload is not an object.
std::vector<std::string> FieldNames(std::string_view payload, size_t names_max);

/// A name as a part of a JSON Pointer (RFC 6901): '~' and '/' are written ~0 and ~1.
std::string PointerPart(std::string_view name);

/// The name that a field selector and FieldNames share: /title is title.
std::string_view PlainFieldName(std::string_view selector);

}  // namespace neardup
