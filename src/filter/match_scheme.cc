#include "filter/match_scheme.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "fingerprint/exact_hash.h"

namespace neardup {

namespace {

SchemeOptions OptionsOf(const MatchScheme& choice) {
  return {.values = {choice.values.begin(), choice.values.end()}, .frequencies = nullptr};
}

Error Invalid(const std::string& text) { return {ErrorCode::kConfig, text}; }

}  // namespace

Result<ChosenScheme> ChooseScheme(const MatchScheme& choice) {
  if (choice.is_own()) {
    if (choice.values.empty()) return ChosenScheme{};
    return Invalid("match.scheme_options: found " + choice.values.begin()->first +
                   ", expected none: scheme " + choice.name +
                   " is set by the other match settings");
  }
  const auto rows = SchemeRows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const SchemeRow& candidate) {
    return candidate.name == choice.name;
  });
  if (row != rows.end() && row->frequencies == FrequencyUse::kNeeded) {
    return Invalid("match.scheme: " + choice.name +
                   " needs document frequencies of a sample; it is offered by `neardup evaluate` "
                   "only");
  }
  auto scheme = NewScheme(choice.name, OptionsOf(choice));
  if (!scheme.ok()) {
    const bool known = row != rows.end() && !choice.values.empty();
    return Invalid((known ? "match.scheme_options: " : "match.scheme: ") + scheme.error().text);
  }
  return ChosenScheme{std::move(scheme.value()), &*row};
}

std::string SpecOf(const MatchScheme& choice) {
  if (choice.is_own()) return "";
  const auto spec = SchemeSpec(choice.name, OptionsOf(choice));
  assert(spec.ok());
  return spec.ok() ? spec.value() : "";
}

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
  for (const TextPiece& piece : pieces) {
    marks_.push_back({tokens_.size(), tokens_.hashes().size()});
    tokeniser_.Tokenise(piece.text, tokens_);
  }
  marks_.push_back({tokens_.size(), tokens_.hashes().size()});
  // Only now: the tokens move while they grow.
  ExactHash exact;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Mark& begin = marks_[i];
    const Mark& end = marks_[i + 1];
    const std::string_view normalised =
        tokens_.TextFrom(begin.byte).substr(0, end.byte - begin.byte);
    exact.Add(normalised, pieces[i].path_hash);
    result_.texts.push_back({pieces[i].field, pieces[i].text, normalised,
                             tokens_.hashes().subspan(begin.token, end.token - begin.token)});
  }
  result_.exact = exact.value();
  std::stable_sort(result_.texts.begin(), result_.texts.end(),
                   [](const SchemeText& a, const SchemeText& b) { return a.field < b.field; });
}

}  // namespace neardup
