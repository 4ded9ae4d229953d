#include "learn/field_values.h"

#include <algorithm>
#include <string_view>

#include "base/hash.h"
#include "feature/mask.h"

namespace neardup {

FieldValueReader::FieldValueReader(const FilterOptions& options)
    : extractor_(options.record),
      tokeniser_(options.feature.markup, options.feature.masks),
      masking_tokeniser_(options.feature.markup, kAllMasks),
      values_(std::max<size_t>(options.record.fields.size(), 1)),
      counts_(values_.size()) {}

const std::vector<uint64_t>& FieldValueReader::Read(const RecordView& record) {
  std::fill(values_.begin(), values_.end(), 0);
  for (const TextPiece& piece : extractor_.Extract(record).pieces) {
    tokens_.Clear();
    tokeniser_.Tokenise(piece.text, tokens_, piece.number ? TextKind::kNumber : TextKind::kText);
    const std::string_view text = tokens_.TextFrom(0);
    // A sum does not depend on the order, and the members of an object may come in any order.
    if (!text.empty()) values_[piece.field] += Mix64(Hash64(text) + piece.path_hash);
    CountTokens(piece);
  }
  return values_;
}

void FieldValueReader::CountTokens(const TextPiece& piece) {
  Counts& counts = counts_[piece.field];
  tokens_.Clear();
  masking_tokeniser_.Tokenise(piece.text, tokens_);
  std::string_view text = tokens_.TextFrom(0);
  while (!text.empty()) {
    const std::string_view token = text.substr(0, text.find(' '));
    text.remove_prefix(token.size() + 1);
    ++counts.tokens;
    counts.maskable += IsMaskToken(token) ? 1 : 0;
  }
}

std::vector<bool> FieldValueReader::NumericFields() const {
  std::vector<bool> numeric;
  for (const Counts& counts : counts_) {
    numeric.push_back(counts.tokens > 0 && 2 * counts.maskable >= counts.tokens);
  }
  return numeric;
}

}  // namespace neardup
