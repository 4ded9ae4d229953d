#include "explain/explanation.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "detect/fingerprint/number_set.h"
#include "explain/verdict_changes.h"

namespace neardup {
namespace {

constexpr int kBits = 64;

struct MovedFeature {
  WordPull pull;
  uint64_t hash = 0;

  /// How far the feature moves the sum of a bit, from the first record to the second.
  double Move(int bit) const {
    const double change = static_cast<double>(pull.weight_b) - static_cast<double>(pull.weight_a);
    return (hash >> bit & 1) != 0 ? change : -change;
  }
};

std::vector<MovedFeature> Moved(const std::vector<ExplainedFeature>& features_a,
                                const std::vector<ExplainedFeature>& features_b) {
  std::vector<MovedFeature> all;
  std::unordered_map<uint64_t, size_t> places;
  for (const ExplainedFeature& a : features_a) {
    places.emplace(a.hash, all.size());
    all.push_back({{a.text, a.count, 0, a.weight, 0, 0}, a.hash});
  }
  for (const ExplainedFeature& b : features_b) {
    const auto [place, added] = places.emplace(b.hash, all.size());
    if (added) all.push_back({{b.text, 0, 0, 0, 0, 0}, b.hash});
    WordPull& pull = all[place->second].pull;
    pull.count_b = b.count;
    pull.weight_b = b.weight;
  }
  std::erase_if(all, [](const MovedFeature& one) {
    return one.pull.weight_a == one.pull.weight_b && one.pull.count_a == one.pull.count_b;
  });
  return all;
}

}  // namespace

SketchDifference DivideDifference(const std::vector<ExplainedFeature>& features_a,
                                  const SketchVotes& votes_a,
                                  const std::vector<ExplainedFeature>& features_b,
                                  const SketchVotes& votes_b) {
  std::vector<MovedFeature> moved = Moved(features_a, features_b);
  SketchDifference difference;
  for (int bit = 0; bit < kBits; ++bit) {
    if (((votes_a.code ^ votes_b.code) >> bit & 1) == 0) continue;
    difference.bits.push_back(bit);
    const double side = (votes_b.code >> bit & 1) != 0 ? 1 : -1;
    const auto at = static_cast<size_t>(bit);
    const double of_model = std::max(side * (votes_a.bars[at] - votes_b.bars[at]), 0.0);
    double all = of_model;
    for (const MovedFeature& one : moved) all += std::max(side * one.Move(bit), 0.0);
    if (all <= 0) {  // the model moved the bit by less than a double can tell
      difference.model_bits += 1;
      continue;
    }
    difference.model_bits += of_model / all;
    for (MovedFeature& one : moved) one.pull.bits += std::max(side * one.Move(bit), 0.0) / all;
  }
  for (MovedFeature& one : moved) difference.pulls.push_back(std::move(one.pull));
  std::ranges::stable_sort(difference.pulls, std::ranges::greater(), &WordPull::bits);
  return difference;
}

namespace {

/// The text keys of `b` under which the filter remembers `a`.
std::vector<ExplainedKey> SharedKeys(const StoredKeys& remembered, const ExplainedRecord& b) {
  std::vector<ExplainedKey> shared;
  for (const ExplainedKey& key : b.text_keys) {
    const auto of_a = remembered.keys();
    if (std::ranges::find(of_a, key.key) != of_a.end()) shared.push_back(key);
  }
  return shared;
}

/// The numbers of `one` that `other` lacks.
std::vector<std::string> NumbersOnlyIn(const ExplainedRecord& one, const ExplainedRecord& other) {
  std::vector<std::string> numbers;
  for (const ExplainedFeature& word : one.words) {
    const auto is_word = [&](const ExplainedFeature& each) { return each.text == word.text; };
    if (IsNumber(word.text) && std::ranges::none_of(other.words, is_word)) {
      numbers.push_back(word.text);
    }
  }
  return numbers;
}

uint64_t NumberSetOf(const ExplainedRecord& record) {
  std::string text;
  for (const ExplainedFeature& word : record.words) text += word.text + ' ';
  return NumberSet(text);
}

void Compare(const FilterOptions& options, const StoredKeys& remembered,
             PairExplanation& explained) {
  const FingerprintedRecord& a = explained.a.fingerprinted;
  const FingerprintedRecord& b = explained.b.fingerprinted;
  explained.distance = std::popcount(a.fingerprint.simhash ^ b.fingerprint.simhash);
  explained.order_distance = std::popcount(a.fingerprint.order ^ b.fingerprint.order);
  explained.keys_differ = explained.a.key != explained.b.key;
  explained.shared_keys = SharedKeys(remembered, explained.b);
  explained.limits =
      LimitsFor(options.match, b.features, static_cast<int>(explained.shared_keys.size()));
  explained.numbers_a = NumbersOnlyIn(explained.a, explained.b);
  explained.numbers_b = NumbersOnlyIn(explained.b, explained.a);
  explained.conflict_bits = ConflictBits(NumberSetOf(explained.a), NumberSetOf(explained.b));
  explained.words = DivideDifference(explained.a.words, explained.a.words_votes, explained.b.words,
                                     explained.b.words_votes);
  explained.pairs = DivideDifference(explained.a.pairs, explained.a.pairs_votes, explained.b.pairs,
                                     explained.b.pairs_votes);
}

Cause CauseOf(const FilterOptions& options, const PairExplanation& explained) {
  const ReadOutcome& a = explained.a.fingerprinted.outcome;
  const ReadOutcome& b = explained.b.fingerprinted.outcome;
  if (!a.comparable() || !b.comparable()) return Cause::kNotComparable;
  if (explained.verdict.decision == Decision::kDuplicate) {
    return explained.verdict.match.kind == MatchKind::kExact ? Cause::kEqual : Cause::kNear;
  }
  if (!WithinWindow(a.time_ms, b.time_ms, options.window.window_ms)) return Cause::kOutsideWindow;
  if (explained.keys_differ) return Cause::kKeysDiffer;
  if (options.match.distance_max == 0) return Cause::kExactMode;
  if (explained.a.exact_only || explained.b.exact_only) return Cause::kFewWords;
  if (*explained.distance > explained.limits.distance_max) return Cause::kTooFar;
  if (*explained.distance + explained.order_distance > explained.limits.sum_max) {
    return Cause::kTooFarInSum;
  }
  if (!NumbersAgree(options.match, explained.conflict_bits, explained.b.fingerprinted.features)) {
    return Cause::kNumbers;
  }
  return Cause::kNotFound;
}

}  // namespace

const char* Name(Cause cause) {
  constexpr const char* kNames[] = {
      "equal",     "near",    "not_comparable", "outside_window", "keys_differ", "exact_mode",
      "few_words", "too_far", "too_far_in_sum", "numbers",        "not_found"};
  return kNames[static_cast<size_t>(cause)];
}

Result<PairExplanation> ExplainPair(const FilterOptions& options, const RecordView& a,
                                    const RecordView& b) {
  NEARDUP_ASSIGN(const JudgedPair judged, JudgePair(options, a, b));
  RecordExplainer explainer(options);
  PairExplanation explained;
  explained.a = explainer.Explain(a);
  explained.b = explainer.Explain(b);
  explained.verdict = judged.verdict;
  if (judged.comparable) Compare(options, judged.remembered, explained);
  explained.cause = CauseOf(options, explained);
  if (judged.comparable) explained.changes = FindChanges(options, a, b, explained);
  return explained;
}

}  // namespace neardup
