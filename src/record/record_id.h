// What a person calls a record.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "record/field_extractor.h"

namespace neardup {

/// The text of a field, or the line number where there is none. Keeps scratch memory: one instance
/// per thread.
class RecordIdReader {
 public:
  /// A top-level name or a JSON Pointer; empty: always the line number.
  explicit RecordIdReader(const std::string& id_field);

  /// `line` counts from 1.
  std::string Read(std::string_view payload, int64_t line);
  /// Whether the record has the field, with a text in it.
  bool Has(std::string_view payload) { return !FieldText(payload).empty(); }

 private:
  /// Empty: none. Valid until the next call.
  std::string_view FieldText(std::string_view payload);

  std::unique_ptr<FieldExtractor> extractor_;
};

}  // namespace neardup
