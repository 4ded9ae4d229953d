// Payload -> the texts to compare.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/options.h"
#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// One leaf of a selected field: a string (escapes resolved), a number as it is written in the
/// JSON, "true" or "false". Valid UTF-8.
struct TextPiece {
  uint32_t field = 0;     ///< index into RecordOptions::fields; 0 when none are listed
  uint32_t weight16 = 0;  ///< weight of the field in steps of 1/16
  std::string_view text;
  /// FORMAT: says where in the document the leaf stands. Root 0; a member is Hash64(key, parent);
  /// an element is Hash64(index as 8 bytes little-endian, ~parent).
  uint64_t path_hash = 0;
  bool key = false;  ///< of a key field
};

struct ExtractedRecord {
  /// In the order of the document. Objects may be written in any order: who compares pieces goes by
  /// path_hash, not by place.
  std::vector<TextPiece> pieces;
  ReadOutcome outcome;
};

/// Keeps scratch memory: one instance per thread. Every byte of a document is validated, also of
/// fields that are not selected. A text belongs to the deepest selector that covers it.
class FieldExtractor {
 public:
  /// The options must be valid.
  explicit FieldExtractor(const RecordOptions& options);
  ~FieldExtractor();
  FieldExtractor(FieldExtractor&&) noexcept;
  FieldExtractor& operator=(FieldExtractor&&) noexcept;

  /// The result and its views are valid until the next call.
  const ExtractedRecord& Extract(const RecordView& record);

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

// What a person calls a record.

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
