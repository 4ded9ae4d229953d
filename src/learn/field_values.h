// What each selected field of a record says: to see in which of them near records differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "feature/token_list.h"
#include "feature/tokeniser.h"
#include "neardup/options.h"
#include "record/field_extractor.h"

namespace neardup {

/// Keeps scratch memory: one owner thread.
class FieldValueReader {
 public:
  /// The options must be valid.
  explicit FieldValueReader(const FilterOptions& options);

  /// For each selected field (one, where none are listed) a hash of its tokens and their places; 0
  /// where it holds none. Valid until the next call.
  const std::vector<uint64_t>& Read(const RecordView& record);

  /// Whether at least half of the tokens of the field, in all records read, are numbers or whatever
  /// else a mask could take: prices, dates, codes, and no text.
  std::vector<bool> HoldNumbers() const;

 private:
  void CountTokens(const TextPiece& piece);

  struct Counts {
    size_t tokens = 0;
    size_t numbers = 0;
  };

  FieldExtractor extractor_;
  Tokeniser tokeniser_;
  Tokeniser masking_tokeniser_;
  TokenList tokens_;
  std::vector<uint64_t> values_;
  std::vector<Counts> counts_;
};

}  // namespace neardup
