// Texts that say when something happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "feature/text_features.h"
#include "feature/tokeniser.h"
#include "neardup/options.h"
#include "record/field_extractor.h"

namespace neardup {

/// Whether the text is wholly a time of day, with its date or with seconds: RFC 3339, seconds or
/// milliseconds since 1970 between 2001 and 2033, and what logs and web forms write, such as
/// 2017/6/8 17:31:20 and Dec 10 06:55:46. A date alone is none: it may be what a record is about.
bool IsTimeText(std::string_view text);

// What each selected field of a record says: to see in which of them near records differ.

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
