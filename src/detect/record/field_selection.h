// Which fields of a document are compared, excluded, or tell the time; how selectors name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

/// Keys from the root down. A decimal key also names an array element, and `*` names all of them.
using FieldPath = std::vector<std::string>;
inline constexpr std::string_view kAnyElement = "*";

/// Reads a selector: a top-level name, or a JSON Pointer (RFC 6901) if it starts with '/'. An empty
/// one is the whole document. The error says what is wrong with the selector; the caller adds where
/// it stands.
Result<FieldPath> ParseFieldPath(std::string_view selector);

/// A key as a part of a JSON Pointer: '~' and '/' are written ~0 and ~1.
std::string PointerPart(std::string_view key);

/// The JSON Pointer of a path. Selectors of the same place give the same pointer.
std::string ToPointer(const FieldPath& path);

/// Whether `path` is `ancestor` or lies below it.
bool IsWithin(const FieldPath& path, const FieldPath& ancestor);

/// A field weight in steps of 1/16, rounded to the nearest.
uint32_t WeightSixteenths(double weight);

/// The selectors of RecordOptions as one tree of keys, to be walked along with a document.
/// Immutable: any number of threads may share one instance.
class Selection {
 public:
  static constexpr uint32_t kNoNode = UINT32_MAX;
  static constexpr int32_t kNoField = -1;
  static constexpr uint32_t kRoot = 0;

  struct Field {
    std::string pointer;
    uint32_t weight16 = 16;
    bool key = false;   ///< a key field
    bool free = false;  ///< a free field
  };

  struct Node {
    /// Key and node number, sorted by key.
    std::vector<std::pair<std::string, uint32_t>> children;
    std::string pointer;
    int32_t field = kNoField;  ///< index into fields()
    bool excluded = false;
    bool time = false;  ///< the time field
    /// True if this node, or a node below it, is a compared field or the time field. Its key may
    /// then occur only once in its object. Never true below an array.
    bool once = false;
  };

  /// The options must be valid.
  explicit Selection(const RecordOptions& options);

  const Node& node(uint32_t number) const { return nodes_[number]; }
  size_t node_count() const { return nodes_.size(); }
  /// The node for `key` below node `number`; kNoNode if no selector continues with it.
  uint32_t Child(uint32_t number, std::string_view key) const;

  /// The selected fields, or one nameless field if everything() is true.
  const std::vector<Field>& fields() const { return fields_; }
  /// No fields are listed, so every top-level field is compared.
  bool everything() const { return everything_; }
  /// The field that takes what no other selector takes; kNoField if there is none.
  int32_t root_field() const { return nodes_[kRoot].field; }

 private:
  /// The node of a selector; creates the nodes on its path that do not exist.
  Node& Add(std::string_view selector, bool once);

  std::vector<Node> nodes_;
  std::vector<Field> fields_;
  bool everything_;
};

}  // namespace neardup
