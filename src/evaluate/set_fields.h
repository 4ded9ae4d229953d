// Which fields of a labelled set are to be compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// The member `fields` of a JSON object: a list of names, or an object whose keys are the names.
/// `path` is for error texts.
Result<std::vector<std::string>> ParseSetFields(std::string_view json, const std::string& path);

}  // namespace neardup
