// Reads payloads into the texts that a comparison scheme computes its sketch from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feature/text_features.h"
#include "feature/tokeniser.h"
#include "neardup/options.h"
#include "record/field_extractor.h"
#include "schemes/scheme.h"

namespace neardup {

/// What a comparison scheme computes its sketch from.
struct SchemeTexts {
  ReadOutcome outcome;
  // The rest is set only if outcome.comparable().
  /// ExactHash of the texts.
  uint64_t exact = 0;
  /// Ordered by field, and within a field as in the document. Valid until the next record.
  std::vector<SchemeText> texts;
};

/// Keeps scratch memory: one instance per thread. It uses the record options, markup, masks and the
/// model's hash seed. Key fields are texts like any others.
class SchemeTextReader {
 public:
  /// The options must be valid.
  explicit SchemeTextReader(const FilterOptions& options);

  /// The result is valid until the next call.
  const SchemeTexts& Read(const RecordView& record);

 private:
  /// Where the tokens of a piece begin in tokens_.
  struct Mark {
    size_t byte = 0;
    size_t token = 0;
  };

  void Tokenise(const std::vector<TextPiece>& pieces);

  FieldExtractor extractor_;
  Tokeniser tokeniser_;
  TokenList tokens_;
  std::vector<Mark> marks_;
  SchemeTexts result_;
};

}  // namespace neardup
