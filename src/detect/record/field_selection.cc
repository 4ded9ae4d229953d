#include "detect/record/field_selection.h"

#include <simdjson.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace neardup {
namespace {

/// One key of a JSON Pointer without its escapes.
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

bool KeyIsLess(const std::pair<std::string, uint32_t>& child, std::string_view key) {
  return child.first < key;
}

}  // namespace

Result<FieldPath> ParseFieldPath(std::string_view selector) {
  if (selector.empty()) return FieldPath{};
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

std::string PointerPart(std::string_view key) {
  std::string part;
  for (const char byte : key) {
    if (byte == '~') {
      part += "~0";
    } else if (byte == '/') {
      part += "~1";
    } else {
      part += byte;
    }
  }
  return part;
}

std::string ToPointer(const FieldPath& path) {
  std::string pointer;
  for (const std::string& key : path) pointer += '/' + PointerPart(key);
  return pointer;
}

bool IsWithin(const FieldPath& path, const FieldPath& ancestor) {
  return path.size() >= ancestor.size() &&
         std::equal(ancestor.begin(), ancestor.end(), path.begin());
}

uint32_t WeightSixteenths(double weight) { return static_cast<uint32_t>(std::lround(weight * 16)); }

Selection::Selection(const RecordOptions& options) : everything_(options.fields.empty()) {
  nodes_.emplace_back();
  for (const FieldSelector& selector : options.fields) {
    Node& node = Add(selector.path, true);
    node.field = static_cast<int32_t>(fields_.size());
    fields_.push_back(
        {node.pointer, WeightSixteenths(selector.weight), selector.key, selector.free});
  }
  if (everything_) {
    nodes_[kRoot].field = 0;
    fields_.emplace_back();
  }
  for (const std::string& selector : options.exclude) Add(selector, false).excluded = true;
  if (!options.time_field.empty()) Add(options.time_field, true).time = true;
}

uint32_t Selection::Child(uint32_t number, std::string_view key) const {
  const auto& children = nodes_[number].children;
  const auto found = std::lower_bound(children.begin(), children.end(), key, KeyIsLess);
  return found != children.end() && found->first == key ? found->second : kNoNode;
}

Selection::Node& Selection::Add(std::string_view selector, bool once) {
  const auto path = ParseFieldPath(selector);
  assert(path.ok());
  uint32_t number = kRoot;
  FieldPath walked;
  for (const std::string& key : path.value()) {
    walked.push_back(key);
    uint32_t child = Child(number, key);
    if (child == kNoNode) {
      child = static_cast<uint32_t>(nodes_.size());
      nodes_.emplace_back().pointer = ToPointer(walked);
      auto& children = nodes_[number].children;
      children.emplace(std::lower_bound(children.begin(), children.end(), key, KeyIsLess), key,
                       child);
    }
    number = child;
    once = once && key != kAnyElement;
    nodes_[number].once = nodes_[number].once || once;
  }
  return nodes_[number];
}

}  // namespace neardup
