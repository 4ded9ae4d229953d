#include "detect/record/field_names.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "detect/record/field_selection.h"

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
    if (std::ranges::find(names, name) != names.end()) continue;
    names.push_back(std::move(name));
    simdjson::ondemand::object inner;
    if (level < kLevelsMax && field.value().get(inner) == simdjson::SUCCESS) {
      Collect(inner, here, level + 1, names_max, names);
    }
  }
}

}  // namespace

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

namespace {

/// Finds the paths that are wanted.
class PathFinder {
 public:
  explicit PathFinder(std::span<const TextPiece> pieces) {
    for (const TextPiece& piece : pieces) paths_[piece.path_hash];
  }

  void Visit(const simdjson::dom::element& element, const std::string& pointer, uint64_t hash) {
    simdjson::dom::object object;
    simdjson::dom::array array;
    if (element.get(object) == simdjson::SUCCESS) {
      for (const auto& [key, value] : object) {
        Visit(value, pointer + "/" + PointerPart(key), MemberPathHash(hash, key));
      }
    } else if (element.get(array) == simdjson::SUCCESS) {
      uint64_t index = 0;
      for (const simdjson::dom::element value : array) {
        Visit(value, fmt::format("{}/{}", pointer, index), ElementPathHash(hash, index));
        ++index;
      }
    } else if (const auto wanted = paths_.find(hash); wanted != paths_.end()) {
      wanted->second = PlainFieldName(pointer);
    }
  }

  const std::string& PathOf(const TextPiece& piece) const { return paths_.at(piece.path_hash); }

 private:
  std::unordered_map<uint64_t, std::string> paths_;
};

}  // namespace

std::vector<std::string> TextPaths(std::string_view payload, std::span<const TextPiece> pieces) {
  PathFinder finder(pieces);
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(payload.data(), payload.size()).get(root) == simdjson::SUCCESS) {
    finder.Visit(root, "", kRootPathHash);
  }
  std::vector<std::string> paths;
  paths.reserve(pieces.size());
  for (const TextPiece& piece : pieces) paths.push_back(finder.PathOf(piece));
  return paths;
}

}  // namespace neardup
