// How the configuration names a place in a JSON document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

/// Keys from the root down. A decimal key also names an array element.
using FieldPath = std::vector<std::string>;

/// Reads a top-level name, or a JSON Pointer (RFC 6901) when it starts with '/'. The error's text
/// says what is wrong with the selector, not where in the configuration it stands.
Result<FieldPath> ParseFieldPath(std::string_view selector);

/// The JSON Pointer of a path. Equal paths have equal texts, however they were written.
std::string ToPointer(const FieldPath& path);

/// Whether `path` is `ancestor` or lies below it.
bool IsWithin(const FieldPath& path, const FieldPath& ancestor);

// Which places of a document are compared, left out, or tell the time: the selectors of
// RecordOptions as one tree of keys, walked along with the document.

/// A field weight in steps of 1/16.
uint32_t WeightSixteenths(double weight);

/// Immutable, safe to share between threads. The options must be valid.
class Selection {
 public:
  static constexpr uint32_t kNoNode = UINT32_MAX;
  static constexpr int32_t kNoField = -1;
  static constexpr uint32_t kRoot = 0;

  struct Field {
    std::string pointer;
    uint32_t weight16 = 16;
    bool key = false;
  };

  struct Node {
    /// Key and node number, sorted by key.
    std::vector<std::pair<std::string, uint32_t>> children;
    std::string pointer;
    int32_t field = kNoField;
    bool excluded = false;
    bool time = false;
    /// A compared field or the time stands here or below, so the key must not stand twice.
    bool once = false;
  };

  explicit Selection(const RecordOptions& options);

  const Node& node(uint32_t number) const { return nodes_[number]; }
  size_t node_count() const { return nodes_.size(); }
  /// kNoNode when no selector goes on with `key`.
  uint32_t Child(uint32_t number, std::string_view key) const;

  /// The selected fields, or one nameless field when everything is selected.
  const std::vector<Field>& fields() const { return fields_; }
  /// No fields are listed: every top-level field is compared.
  bool everything() const { return everything_; }

 private:
  /// The node of a path; adds what is not there yet.
  Node& Add(std::string_view selector, bool once);

  std::vector<Node> nodes_;
  std::vector<Field> fields_;
  bool everything_;
};

}  // namespace neardup
