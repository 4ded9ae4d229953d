#include "record/text_paths.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <unordered_map>

#include "record/field_names.h"
#include "record/path_hash.h"

namespace neardup {
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
