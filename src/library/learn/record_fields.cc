#include "learn/record_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/json_limits.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

/// Collects the fields below a value.
class Walk {
 public:
  explicit Walk(std::vector<RecordField>& fields) : fields_(fields) {}

  void Visit(const Json& value) {
    if (value.is_object()) {
      for (const auto& member : value.items()) Enter(member.key(), member.value());
    } else if (value.is_array()) {
      const bool structured = std::any_of(value.begin(), value.end(),
                                          [](const Json& item) { return item.is_structured(); });
      if (!structured) Take(value);
      for (const Json& item : value) {
        if (structured) Enter(std::string(kAnyElement), item);
      }
    } else {
      Take(value);
    }
  }

 private:
  void Enter(const std::string& key, const Json& value) {
    path_.push_back(key);
    Visit(value);
    path_.pop_back();
  }

  /// A scalar, or an array of scalars.
  void Take(const Json& value) {
    RecordField& field = FieldHere();
    if (!value.is_array()) return Append(value, field);
    for (const Json& item : value) Append(item, field);
  }

  static void Append(const Json& scalar, RecordField& field) {
    if (scalar.is_null()) return;
    if (field.items++ == 0) {
      field.number = scalar.is_number();
    } else {
      field.text += '\n';
    }
    field.text += scalar.is_string() ? scalar.get_ref<const std::string&>() : scalar.dump();
  }

  RecordField& FieldHere() {
    std::string path = SelectorOf(path_);
    const auto [found, added] = numbers_.try_emplace(path, fields_.size());
    if (added) fields_.emplace_back().path = std::move(path);
    return fields_[found->second];
  }

  std::vector<RecordField>& fields_;
  std::unordered_map<std::string, size_t> numbers_;
  FieldPath path_;
};

}  // namespace

std::string SelectorOf(const FieldPath& path) {
  const bool is_name = path.size() == 1 && !path[0].empty() && path[0][0] != '/';
  return is_name ? path[0] : ToPointer(path);
}

const std::vector<RecordField>& RecordFields::Read(std::string_view payload) {
  fields_.clear();
  if (NestsDeeperThan(payload)) return fields_;
  const Json record = Json::parse(payload, nullptr, false);
  if (record.is_object()) Walk(fields_).Visit(record);
  return fields_;
}

}  // namespace neardup
