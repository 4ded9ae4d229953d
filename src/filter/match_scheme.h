// The scheme that is chosen, made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "feature/text_features.h"
#include "feature/tokeniser.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "record/field_extractor.h"
#include "schemes/scheme.h"
#include "schemes/schemes.h"

namespace neardup {

/// Both are nullptr for the filter's own scheme.
struct ChosenScheme {
  std::shared_ptr<const Scheme> scheme;
  const SchemeRow* row = nullptr;
};

/// kConfig: no such scheme, a parameter it does not take or out of its range, or a scheme that
/// works on a sample only. The text starts with match.scheme or match.scheme_options.
Result<ChosenScheme> ChooseScheme(const MatchScheme& choice);

/// SchemeSpec of a choice that ChooseScheme takes; empty for the filter's own.
std::string SpecOf(const MatchScheme& choice);

// Payload -> the texts a scheme makes its sketch of.

struct SchemeTexts {
  ReadOutcome outcome;
  // Only where outcome.comparable():
  uint64_t exact = 0;  ///< Fingerprint::exact
  /// Ordered by field, within a field as in the document. Valid until the next record.
  std::vector<SchemeText> texts;
};

/// Keeps scratch memory: one instance per thread. Of the options it uses record, markup, masks
/// and the model's hash seed. Key fields are texts like others to it.
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
