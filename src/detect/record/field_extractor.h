// Extracts the texts to compare and the event time from a JSON payload.
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

/// One scalar of a selected field: a string with its escapes resolved, a number as it is written in
/// the JSON, "true" or "false". Valid UTF-8.
struct TextPiece {
  uint32_t field = 0;     ///< index into RecordOptions::fields; 0 if none are listed
  uint32_t weight16 = 0;  ///< weight of the field in steps of 1/16
  std::string_view text;
  /// Tells where in the document the text stands. FORMAT: 0 for the root; Hash64(key, parent) for a
  /// member; Hash64(index as 8 bytes little-endian, ~parent) for an element.
  uint64_t path_hash = 0;
  bool key = false;     ///< belongs to a key field
  bool free = false;    ///< belongs to a free field
  bool number = false;  ///< is a JSON number
};

struct ExtractedRecord {
  /// In the order of the document. Producers may write the members of an object in any order, so
  /// pieces of two records correspond by path_hash, not by index.
  std::vector<TextPiece> pieces;
  ReadOutcome outcome;
};

/// Reads payloads:
///     FieldExtractor extractor(options);
///     const ExtractedRecord& record = extractor.Extract({position, time_ms, payload});
///     if (record.outcome.comparable()) Compare(record.pieces);
/// Validates every byte of a document, also of fields that are not selected. If several selectors
/// cover a text, it belongs to the deepest. Keeps scratch memory: one instance per thread.
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

/// Reads the identifier of a record, as people name it: the text of one field, or the number of the
/// line if the record has no such text. Keeps scratch memory: one instance per thread.
class RecordIdReader {
 public:
  /// `id_field` is a top-level name or a JSON Pointer. If it is empty, Read always returns the line
  /// number.
  explicit RecordIdReader(const std::string& id_field);

  /// `line` counts from 1.
  std::string Read(std::string_view payload, int64_t line);
  /// True if the field holds exactly one text and that text is not empty.
  bool Has(std::string_view payload) { return !FieldText(payload).empty(); }
  /// Empty if there is none. Valid until the next call.
  std::string_view FieldText(std::string_view payload);

 private:
  std::unique_ptr<FieldExtractor> extractor_;
};

}  // namespace neardup
