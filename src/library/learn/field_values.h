// The value of each selected field of a record, as a hash: shows in which fields near records
// differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feature/token_list.h"
#include "feature/tokeniser.h"
#include "neardup/options.h"
#include "record/field_extractor.h"

namespace neardup {

/// One owner thread.
class FieldValueReader {
 public:
  /// The options must be valid.
  explicit FieldValueReader(const FilterOptions& options);

  /// For each selected field (one, if none are listed) a hash of its tokens and their paths; 0 if
  /// the field holds no token. Valid until the next call.
  const std::vector<uint64_t>& Read(const RecordView& record);

  /// For each selected field, whether at least half of its tokens in all records read are numbers,
  /// dates, codes or anything else that a mask would replace.
  std::vector<bool> NumericFields() const;

 private:
  void CountTokens(const TextPiece& piece);

  struct Counts {
    size_t tokens = 0;
    size_t maskable = 0;  ///< tokens that a mask would replace
  };

  FieldExtractor extractor_;
  Tokeniser tokeniser_;
  Tokeniser masking_tokeniser_;  ///< with all masks
  TokenList tokens_;             ///< scratch
  std::vector<uint64_t> values_;
  std::vector<Counts> counts_;  ///< by selected field
};

}  // namespace neardup
