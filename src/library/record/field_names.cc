#include "record/field_names.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kLevelsMax = 3;

void Collect(simdjson::ondemand::object object, const std::string& pointer, size_t level,
             size_t names_max, std::vector<std::string>& names) {
  for (auto field : object) {
    std::string_view key;
    if (names.size() >= names_max || field.unescaped_key().get(key) != simdjson::SUCCESS) return;
    const std::string here = pointer + "/" + PointerPart(key);
    const bool plain = level == 1 && !key.starts_with('/') && !key.empty();
    std::string name = plain ? std::string(key) : here;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(std::move(name));
    simdjson::ondemand::object inner;
    if (level < kLevelsMax && field.value().get(inner) == simdjson::SUCCESS) {
      Collect(inner, here, level + 1, names_max, names);
    }
  }
}

}  // namespace

std::string PointerPart(std::string_view name) {
  std::string part;
  for (const char c : name) {
    if (c == '~') {
      part += "~0";
    } else if (c == '/') {
      part += "~1";
    } else {
      part += c;
    }
  }
  return part;
}

std::vector<std::string> FieldNames(std::string_view payload, size_t names_max) {
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(payload);
  std::vector<std::string> names;
  simdjson::ondemand::document document;
  simdjson::ondemand::object root;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return names;
  if (document.get_object().get(root) != simdjson::SUCCESS) return names;
  Collect(root, "", 1, names_max, names);
  return names;
}

std::string_view PlainFieldName(std::string_view selector) {
  const bool pointer = selector.starts_with('/');
  const bool nested = selector.find('/', 1) != std::string_view::npos;
  const bool escaped = selector.find('~') != std::string_view::npos;
  return pointer && !nested && !escaped ? selector.substr(1) : selector;
}

}  // namespace neardup
