#include "record/field_path.h"

#include <simdjson.h>

#include <algorithm>

namespace neardup {
namespace {

Result<std::string> Unescape(std::string_view token) {
  std::string key;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      key += token[i];
      continue;
    }
    ++i;
    if (i == token.size() || (token[i] != '0' && token[i] != '1')) {
      return Error{ErrorCode::kConfig,
                   "'~' must be followed by 0 (for '~') or 1 (for '/') in a JSON Pointer"};
    }
    key += token[i] == '0' ? '~' : '/';
  }
  return key;
}

}  // namespace

Result<FieldPath> ParseFieldPath(std::string_view selector) {
  if (selector.empty()) {
    return Error{ErrorCode::kConfig,
                 "is empty; expected a top-level name, or a JSON Pointer that starts with '/'"};
  }
  if (!simdjson::validate_utf8(selector.data(), selector.size())) {
    return Error{ErrorCode::kConfig, "is not valid UTF-8"};
  }
  if (selector.front() != '/') return FieldPath{std::string(selector)};
  FieldPath path;
  while (!selector.empty()) {
    selector.remove_prefix(1);
    const size_t length = std::min(selector.find('/'), selector.size());
    NEARDUP_ASSIGN(path.emplace_back(), Unescape(selector.substr(0, length)));
    selector.remove_prefix(length);
  }
  return path;
}

std::string ToPointer(const FieldPath& path) {
  std::string pointer;
  for (const std::string& key : path) {
    pointer += '/';
    for (const char byte : key) {
      if (byte == '~') {
        pointer += "~0";
      } else if (byte == '/') {
        pointer += "~1";
      } else {
        pointer += byte;
      }
    }
  }
  return pointer;
}

bool IsWithin(const FieldPath& path, const FieldPath& ancestor) {
  return path.size() >= ancestor.size() &&
         std::equal(ancestor.begin(), ancestor.end(), path.begin());
}

}  // namespace neardup
