#include "schemes/scheme_text.h"

#include <algorithm>
#include <string_view>

#include "fingerprint/exact_hash.h"

namespace neardup {

SchemeTextReader::SchemeTextReader(const FilterOptions& options)
    : extractor_(options.record),
      tokeniser_(options.feature.markup, options.feature.masks),
      tokens_(options.model.hash_seed) {}

const SchemeTexts& SchemeTextReader::Read(const RecordView& record) {
  const ExtractedRecord& extracted = extractor_.Extract(record);
  result_.outcome = extracted.outcome;
  result_.texts.clear();
  result_.exact = 0;
  if (result_.outcome.comparable()) Tokenise(extracted.pieces);
  return result_;
}

void SchemeTextReader::Tokenise(const std::vector<TextPiece>& pieces) {
  tokens_.Clear();
  marks_.clear();
  ExactHash exact;
  for (const TextPiece& piece : pieces) {
    const Mark begin{tokens_.size(), tokens_.token_count()};
    marks_.push_back(begin);
    const TextKind kind = piece.number ? TextKind::kNumber : TextKind::kText;
    const std::string_view as_it_is = tokeniser_.Tokenise(piece.text, tokens_, kind);
    exact.Add(as_it_is.empty() ? tokens_.TextFrom(begin.byte) : as_it_is, piece.path_hash);
  }
  marks_.push_back({tokens_.size(), tokens_.token_count()});
  // Only now, because the token texts move in memory while they grow.
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Mark& begin = marks_[i];
    const Mark& end = marks_[i + 1];
    const std::string_view normalised =
        tokens_.TextFrom(begin.byte).substr(0, end.byte - begin.byte);
    result_.texts.push_back({pieces[i].field, pieces[i].text, normalised,
                             tokens_.hashes().subspan(begin.token, end.token - begin.token)});
  }
  result_.exact = exact.value();
  std::stable_sort(result_.texts.begin(), result_.texts.end(),
                   [](const SchemeText& a, const SchemeText& b) { return a.field < b.field; });
}

}  // namespace neardup
