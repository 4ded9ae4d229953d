// All fields of a record, by their paths.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "record/field_selection.h"

namespace neardup {

/// A field, at any depth. The elements of an array are one field, and so are their members.
struct RecordField {
  std::string path;  ///< as record.fields takes it
  /// The scalars of the field in the order of the document, one on each line. Empty: null or empty.
  std::string text;
  size_t items = 0;     ///< number of scalars
  bool number = false;  ///< the first of them is a JSON number
};

/// Reads the fields of payloads. Keeps scratch memory: one instance per thread.
class RecordFields {
 public:
  /// In the order in which they first occur; nothing if the payload is no JSON object. Valid until
  /// the next call.
  const std::vector<RecordField>& Read(std::string_view payload);

 private:
  std::vector<RecordField> fields_;
};

/// The shortest selector of a path: a top-level name, or else a JSON Pointer.
std::string SelectorOf(const FieldPath& path);

}  // namespace neardup
