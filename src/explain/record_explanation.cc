#include "explain/record_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "detect/feature/mask.h"
#include "detect/fingerprint/text_keys.h"
#include "detect/record/field_names.h"

namespace neardup {
namespace {

constexpr double kCentreUnit = 4096;
constexpr double kWeightUnit = 16;

std::string WordText(std::string_view token) {
  for (const MaskRow& row : kMaskRows) {
    if (token.size() == 1 && token[0] == static_cast<char>(row.kind)) {
      return fmt::format("<{}>", row.name);
    }
  }
  return std::string(token);
}

/// The texts of all tokens, in order.
std::vector<std::string> TokenTexts(std::string_view text) {
  std::vector<std::string> texts;
  for (const std::string_view token : TokensOf(text)) texts.push_back(WordText(token));
  return texts;
}

std::unordered_map<uint64_t, uint32_t> Counted(std::span<const uint64_t> hashes) {
  std::unordered_map<uint64_t, uint32_t> counts;
  for (const uint64_t hash : hashes) ++counts[hash];
  return counts;
}

/// The distinct hashes, in the order of their first occurrence.
std::vector<uint64_t> InOrder(std::span<const uint64_t> hashes) {
  std::unordered_set<uint64_t> seen;
  std::vector<uint64_t> distinct;
  for (const uint64_t hash : hashes) {
    if (seen.insert(hash).second) distinct.push_back(hash);
  }
  return distinct;
}

/// The bars of CentredSimhash, in units of the sums.
std::array<double, 64> BarsOf(const BitSums& sums, const Model& model) {
  const auto largest = [](const BitSums& of) {
    uint64_t all = 0;
    for (const int64_t sum : of) all |= static_cast<uint64_t>(std::abs(sum));
    return static_cast<int>(std::bit_width(all));
  };
  BitSums scaled = sums;
  const int64_t root = RootMeanSquare(scaled);
  const double unit =
      std::ldexp(static_cast<double>(root) / kCentreUnit, largest(sums) - largest(scaled));
  std::array<double, 64> bars{};
  for (size_t bit = 0; bit < bars.size(); ++bit) bars[bit] = unit * model.centre[bit];
  return bars;
}

}  // namespace

RecordExplainer::RecordExplainer(const FilterOptions& options)
    : options_(options), reader_(options), fingerprinter_(WithNearFeatures(options)) {}

ExplainedRecord RecordExplainer::Explain(const RecordView& record) {
  ExplainedRecord explained;
  explained.fingerprinted = fingerprinter_.Compute(record);
  if (!explained.fingerprinted.outcome.comparable()) return explained;
  explained.key = reader_.Read(record).key;
  explained.exact_only = reader_.Count().exact_only;
  ExplainTexts(record, explained);
  ExplainWords(explained);
  ExplainAdjacentWords(explained);
  return explained;
}

void RecordExplainer::ExplainTexts(const RecordView& record, ExplainedRecord& explained) {
  const std::span<const TextPiece> pieces = reader_.tokens().pieces();
  const std::vector<std::string> paths = TextPaths(record.value.value_or(""), pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const TextPiece& piece = pieces[i];
    explained.texts.push_back(
        {paths[i], piece.field, piece.weight16 / kWeightUnit, piece.key, std::string(piece.text)});
  }
}

void RecordExplainer::ExplainWords(ExplainedRecord& explained) {
  const std::span<const uint64_t> tokens = reader_.tokens().hashes();
  const std::vector<std::string> texts = TokenTexts(reader_.tokens().text());
  std::unordered_map<uint64_t, const std::string*> text_of;
  for (size_t i = 0; i < tokens.size(); ++i) text_of.try_emplace(tokens[i], &texts[i]);
  const auto counts = Counted(tokens);
  const Features features = counter_.Count(tokens, reader_.tokens().ranges());
  std::unordered_map<uint64_t, uint64_t> weights;
  for (const uint64_t token : features.tokens) weights[token] = features.weight;
  for (const Feature& more : features.more) weights[more.hash] += more.weight;
  for (const uint64_t token : InOrder(tokens)) {
    explained.words.push_back({*text_of.at(token), token, counts.at(token), weights.at(token)});
  }
  SketchVotes& votes = explained.words_votes;
  votes.sums = SumBits(features);
  votes.bars = BarsOf(votes.sums, options_.model);
  votes.code = CentredSimhash(votes.sums, options_.model.centre);
}

void RecordExplainer::ExplainAdjacentWords(ExplainedRecord& explained) {
  const std::span<const uint64_t> tokens = reader_.tokens().hashes();
  const std::vector<std::string> texts = TokenTexts(reader_.tokens().text());
  const auto text_at = [&](size_t begin, size_t words, size_t end) {
    std::string text;
    for (size_t i = begin; i < std::min(begin + words, end); ++i) {
      text += (text.empty() ? "" : " ") + texts[i];
    }
    return text;
  };
  std::vector<uint64_t> pairs;
  std::vector<uint64_t> triples;
  std::unordered_map<uint64_t, std::string> pair_texts;
  std::unordered_map<uint64_t, std::string> key_texts;
  size_t begin = 0;
  for (const TokenRange& range : reader_.tokens().ranges()) {
    const auto of_text = tokens.subspan(begin, range.end - begin);
    const size_t first_pair = pairs.size();
    const size_t first_triple = triples.size();
    AppendPairs(of_text, pairs);
    AppendTriples(of_text, std::span(pairs).subspan(first_pair), triples);
    for (size_t i = first_pair; i < pairs.size(); ++i) {
      pair_texts.try_emplace(pairs[i], text_at(begin + i - first_pair, 2, range.end));
    }
    for (size_t i = first_triple; i < triples.size(); ++i) {
      const uint64_t keyed = KeyedTriple(triples[i], explained.key);
      const TextKeys chosen = ChooseTextKeys({&keyed, 1}, options_.model);
      for (const uint32_t key : chosen.keys()) {
        key_texts.try_emplace(key, text_at(begin + i - first_triple, 3, range.end));
      }
    }
    begin = range.end;
  }
  const auto counts = Counted(pairs);
  const std::vector<uint64_t> distinct = InOrder(pairs);
  for (const uint64_t pair : distinct) {
    explained.pairs.push_back({pair_texts.at(pair), pair, counts.at(pair), 1});
  }
  explained.pairs_votes.sums = SumBits(distinct);
  explained.pairs_votes.code = Simhash(explained.pairs_votes.sums);
  for (const uint32_t key : explained.fingerprinted.text_keys.keys()) {
    explained.text_keys.push_back({key, key_texts.at(key)});
  }
}

}  // namespace neardup
