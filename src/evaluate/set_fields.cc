#include "evaluate/set_fields.h"

#include <nlohmann/json.hpp>

namespace neardup {

Result<std::vector<std::string>> ParseSetFields(std::string_view json, const std::string& path) {
  const auto set = nlohmann::ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (set.is_discarded() || !set.is_object()) {
    return Error{ErrorCode::kCorrupt, path + ": expected one JSON object"};
  }
  const auto fields = set.find("fields");
  std::vector<std::string> names;
  if (fields != set.end() && fields->is_object()) {
    for (const auto& field : fields->items()) names.push_back(field.key());
  } else if (fields != set.end() && fields->is_array()) {
    for (const auto& name : *fields) {
      if (name.is_string()) names.push_back(name.get<std::string>());
    }
    if (names.size() != fields->size()) names.clear();
  }
  if (names.empty()) {
    return Error{ErrorCode::kCorrupt,
                 path +
                     ": fields: expected a list of field names, or an object with them as keys; "
                     "or name the fields with --fields"};
  }
  return names;
}

}  // namespace neardup
