#include "record/selection.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace neardup {
namespace {

bool KeyIsLess(const std::pair<std::string, uint32_t>& child, std::string_view key) {
  return child.first < key;
}

}  // namespace

uint32_t WeightSixteenths(double weight) { return static_cast<uint32_t>(std::lround(weight * 16)); }

Selection::Selection(const RecordOptions& options) : everything_(options.fields.empty()) {
  nodes_.emplace_back();
  for (const FieldSelector& selector : options.fields) {
    Node& node = Add(selector.path, true);
    node.field = static_cast<int32_t>(fields_.size());
    fields_.push_back({node.pointer, WeightSixteenths(selector.weight), selector.key});
  }
  if (everything_) fields_.emplace_back();
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
    nodes_[number].once = nodes_[number].once || once;
  }
  return nodes_[number];
}

}  // namespace neardup
