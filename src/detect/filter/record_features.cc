#include "detect/filter/record_features.h"

#include <algorithm>

namespace neardup {
namespace {

bool HasAny(const std::vector<FieldSelector>& fields, bool FieldSelector::*is_one) {
  return std::ranges::any_of(fields, is_one);
}

TextKind KindOf(const TextPiece& piece) {
  if (piece.number) return TextKind::kNumber;
  return piece.key ? TextKind::kKey : TextKind::kText;
}

/// Appends the tokens of a text. Returns what of the text has to be equal, valid until the next
/// call.
std::string_view Append(const TextPiece& piece, Tokeniser& tokeniser, TokenList& tokens) {
  const size_t begin = tokens.size();
  const std::string_view as_it_is = tokeniser.Tokenise(piece.text, tokens, KindOf(piece));
  return as_it_is.empty() ? tokens.TextFrom(begin) : as_it_is;
}

}  // namespace

RecordTokenReader::RecordTokenReader(const FilterOptions& options,
                                     std::optional<uint64_t> hash_seed)
    : extractor_(options.record),
      tokeniser_(options.feature.markup, options.feature.masks),
      key_tokeniser_(options.feature.markup),
      tokens_(hash_seed),
      keyed_(HasAny(options.record.fields, &FieldSelector::key)),
      has_free_(HasAny(options.record.fields, &FieldSelector::free)),
      standing_(options.model.standing) {}

const RecordHashes& RecordTokenReader::Read(const RecordView& record) {
  const ExtractedRecord& extracted = extractor_.Extract(record);
  result_ = {.outcome = extracted.outcome};
  if (!result_.outcome.comparable()) return result_;
  pieces_ = extracted.pieces;
  Tokenise(extracted.pieces);
  return result_;
}

/// Fills tokens_, ranges_ and the hashes of the result.
void RecordTokenReader::Tokenise(const std::vector<TextPiece>& pieces) {
  tokens_.Clear();
  ranges_.clear();
  ExactHash key;
  ExactHash free;
  if (keyed_) AddEqual(pieces, &TextPiece::key, key);
  if (has_free_) AddEqual(pieces, &TextPiece::free, free);
  ExactHash text;
  for (const TextPiece& piece : pieces) {
    if (piece.key || piece.free) continue;
    text.Add(Append(piece, tokeniser_, tokens_), piece.path_hash);
    ranges_.push_back({tokens_.token_count(), piece.weight16});
  }
  if (keyed_) result_.key = key.value();
  ExactHash exact = text;
  exact.Add(key);
  if (has_free_) {
    result_.text = text.value();
    result_.tells = tokens_.token_count() >= FieldSelector::kTellingTokens &&
                    !std::binary_search(standing_.begin(), standing_.end(), result_.text);
    if (!result_.tells) exact.Add(free);
  }
  result_.exact = exact.value();
}

void RecordTokenReader::AddEqual(const std::vector<TextPiece>& pieces, bool TextPiece::*is_one,
                                 ExactHash& hash) {
  for (const TextPiece& piece : pieces) {
    if (!(piece.*is_one)) continue;
    tokens_.Clear();
    hash.Add(Append(piece, key_tokeniser_, tokens_), piece.path_hash);
  }
  tokens_.Clear();
}

RecordFeatureReader::RecordFeatureReader(const FilterOptions& options)
    : tokens_(options, options.model.hash_seed), features_min_(options.feature.features_min) {}

const RecordHashes& RecordFeatureReader::Read(const RecordView& record) {
  const RecordHashes& read = tokens_.Read(record);
  key_ = read.key;
  tells_ = read.tells;
  return read;
}

const RecordFeatures& RecordFeatureReader::Count() {
  const std::span<const uint64_t> hashes = tokens_.hashes();
  const Features features = counter_.Count(hashes, tokens_.ranges());
  result_.features = static_cast<uint32_t>(features.tokens.size());
  result_.exact_only = !tells_ || features.tokens.empty() || features.tokens.size() < features_min_;
  if (result_.exact_only) return result_;
  result_.sums = SumBits(features);

  pairs_.clear();
  triples_.clear();
  size_t begin = 0;
  for (const TokenRange& range : tokens_.ranges()) {
    const auto of_text = hashes.subspan(begin, range.end - begin);
    const size_t pair_begin = pairs_.size();
    AppendPairs(of_text, pairs_);
    AppendTriples(of_text, std::span(pairs_).subspan(pair_begin), triples_);
    begin = range.end;
  }
  result_.order = Simhash(SumBits(counter_.Distinct(pairs_)));
  if (key_ != 0) {
    for (uint64_t& triple : triples_) triple = KeyedTriple(triple, key_);
  }
  result_.triples = triples_;
  return result_;
}

}  // namespace neardup
