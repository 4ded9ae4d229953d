// Random pairs of records under random settings: what is explained is what the filter computes and
// decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "detect/feature/mask.h"
#include "explain/explanation.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20261122;
constexpr int kPairs = 250;

class RandomPairs {
 public:
  explicit RandomPairs(uint32_t seed) : random_(seed) {}

  size_t Below(size_t end) { return random_() % end; }
  bool OneIn(size_t n) { return Below(n) == 0; }

  FilterOptions Options() {
    FilterOptions options;
    options.window.entries_max = OneIn(20) ? 2'000'000 : 1000;
    options.window.window_ms = 5000;
    if (!OneIn(4)) {
      options.record.fields = {{.path = "text", .weight = OneIn(2) ? 2.5 : 1}, {.path = "title"}};
      if (OneIn(3)) options.record.fields.push_back({.path = "/source/name", .key = true});
    }
    for (const MaskRow& row : kMaskRows) options.feature.masks.*row.on = OneIn(4);
    options.feature.markup = OneIn(2);
    options.feature.features_min = static_cast<uint32_t>(Below(20));
    options.match.distance_max = static_cast<int>(Below(13));
    options.match.distance_sum_max = static_cast<int>(Below(40));
    options.match.features_per_bit = static_cast<uint32_t>(Below(4));
    options.match.text_keys = OneIn(3);
    options.match.widen = options.match.text_keys && OneIn(2);
    options.match.neighbours = OneIn(8);
    options.match.numbers = OneIn(2);
    options.model.hash_seed = Below(1000);
    if (OneIn(2)) {
      for (int32_t& centre : options.model.centre) {
        centre = static_cast<int32_t>(Below(4000)) - 2000;
      }
    }
    return options;
  }

  nlohmann::json Record() {
    nlohmann::json record = {{"title", Words(Below(6))}, {"text", Words(Below(60))}};
    if (OneIn(2)) record["text"] = record["text"].get<std::string>() + " 4711";
    record["source"] = {{"name", Words(1)}};
    if (OneIn(3)) record["tags"] = {Words(1), Words(2)};
    return record;
  }

  /// The record with a few words changed.
  nlohmann::json Copy(nlohmann::json record) {
    for (size_t edits = Below(4); edits > 0; --edits) {
      auto& text = record[OneIn(4) ? "title" : "text"].get_ref<std::string&>();
      if (OneIn(3)) {
        text += " " + Words(1);
      } else if (!text.empty()) {
        text.erase(0, text.find(' ', Below(text.size())));
      }
    }
    if (OneIn(8)) record["source"]["name"] = Words(1);
    auto& text = record["text"].get_ref<std::string&>();
    const size_t number = text.find("4711");
    if (number != std::string::npos && OneIn(2)) text.replace(number, 4, "4712");
    return record;
  }

 private:
  std::string Words(size_t count) {
    static const char* const kOdd[] = {"10:45:12", "<b>bold</b>", "4711",
                                       "4712",     "10.0.0.1",    "&amp;"};
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      if (!text.empty()) text += ' ';
      text += OneIn(9) ? kOdd[Below(std::size(kOdd))] : "word" + std::to_string(Below(80));
    }
    return text;
  }

  std::mt19937 random_;
};

double Sum(const SketchDifference& difference) {
  double sum = difference.model_bits;
  for (const WordPull& pull : difference.pulls) sum += pull.bits;
  return sum;
}

BitSums SumsOf(const std::vector<ExplainedFeature>& features) {
  BitSums sums{};
  for (const ExplainedFeature& feature : features) {
    for (size_t bit = 0; bit < sums.size(); ++bit) {
      const auto weight = static_cast<int64_t>(feature.weight);
      sums[bit] += (feature.hash >> bit & 1) != 0 ? weight : -weight;
    }
  }
  return sums;
}

void ExpectExplained(const ExplainedRecord& explained, const FilterOptions& options,
                     const std::string& payload) {
  const FingerprintedRecord computed =
      Fingerprinter(WithNearFeatures(options)).Compute({{0, 0}, 0, payload});
  ASSERT_TRUE(computed.outcome.comparable());
  EXPECT_EQ(explained.fingerprinted.fingerprint, computed.fingerprint);
  EXPECT_EQ(explained.fingerprinted.text_keys, computed.text_keys);
  EXPECT_EQ(explained.words.size(), computed.features);
  EXPECT_EQ(explained.words_votes.sums, SumsOf(explained.words));
  EXPECT_EQ(explained.pairs_votes.sums, SumsOf(explained.pairs));
  uint64_t code = 0;
  for (size_t bit = 0; bit < 64; ++bit) {
    const auto sum = static_cast<double>(explained.words_votes.sums[bit]);
    code |= uint64_t{sum > explained.words_votes.bars[bit]} << bit;
  }
  EXPECT_EQ(code, explained.words_votes.code);
  if (explained.exact_only) {
    EXPECT_EQ(computed.fingerprint.simhash, computed.fingerprint.exact);
    return;
  }
  EXPECT_EQ(computed.fingerprint.simhash, KeyedSimhash(explained.words_votes.code, explained.key));
  EXPECT_EQ(computed.fingerprint.order, KeyedOrder(explained.pairs_votes.code, explained.key));
  ASSERT_EQ(explained.text_keys.size(), computed.text_keys.keys().size());
}

TEST(ExplanationModel, AgreesWithTheFilterOnRandomPairsUnderRandomSettings) {
  RandomPairs random(kSeed);
  std::map<Cause, int> causes;
  for (int i = 0; i < kPairs; ++i) {
    const FilterOptions options = random.Options();
    const nlohmann::json first = random.Record();
    const std::string a = first.dump();
    const std::string b = random.OneIn(5) ? random.Record().dump() : random.Copy(first).dump();
    const auto time_ms = static_cast<int64_t>(random.Below(6000));
    SCOPED_TRACE(a + "\n" + b);
    const auto explained = ExplainPair(options, {{}, 0, a}, {{}, time_ms, b});
    ASSERT_TRUE(explained.ok()) << explained.error().text;
    ++causes[explained->cause];

    auto filter = Filter::New(options);
    Fingerprinter fingerprinter(options);
    const FingerprintedRecord of_a = fingerprinter.Compute({{0, 7}, 0, a});
    const FingerprintedRecord of_b = fingerprinter.Compute({{0, 9}, time_ms, b});
    EXPECT_EQ((*filter)->Decide(of_a).decision, Decision::kUnique);
    const Verdict verdict = (*filter)->Decide(of_b);
    EXPECT_EQ(explained->verdict.decision, verdict.decision);
    EXPECT_EQ(explained->verdict.match.kind, verdict.match.kind);
    EXPECT_EQ(explained->verdict.match.distance, verdict.match.distance);

    ExpectExplained(explained->a, options, a);
    ExpectExplained(explained->b, options, b);
    const Fingerprint& near_a = explained->a.fingerprinted.fingerprint;
    const Fingerprint& near_b = explained->b.fingerprinted.fingerprint;
    EXPECT_EQ(explained->distance, std::popcount(near_a.simhash ^ near_b.simhash));
    EXPECT_EQ(explained->order_distance, std::popcount(near_a.order ^ near_b.order));
    const SketchVotes& votes_a = explained->a.words_votes;
    const SketchVotes& votes_b = explained->b.words_votes;
    EXPECT_EQ(explained->words.bits.size(), std::popcount(votes_a.code ^ votes_b.code));
    EXPECT_NEAR(Sum(explained->words), static_cast<double>(explained->words.bits.size()), 1e-6);
    EXPECT_NEAR(Sum(explained->pairs), static_cast<double>(explained->pairs.bits.size()), 1e-6);
    const Nearness nearness =
        NearnessOf(near_b, near_a, static_cast<int>(explained->shared_keys.size()), of_b.features);
    const auto conflict = std::min(std::popcount(near_a.numbers & ~near_b.numbers),
                                   std::popcount(near_b.numbers & ~near_a.numbers));
    if (!explained->a.exact_only && !explained->b.exact_only) {
      EXPECT_EQ(explained->conflict_bits, conflict);
    }
    if (conflict > 0) {
      EXPECT_FALSE(explained->numbers_a.empty() || explained->numbers_b.empty());
    }
    const bool accepted = Accepts(options.match, nearness);
    if (explained->cause == Cause::kNear || explained->cause == Cause::kNotFound) {
      EXPECT_TRUE(accepted);
    } else if (explained->cause == Cause::kTooFar || explained->cause == Cause::kTooFarInSum ||
               explained->cause == Cause::kNumbers) {
      EXPECT_FALSE(accepted);
    }
    for (const VerdictChange& change : explained->changes) {
      EXPECT_NE(change.verdict.decision, verdict.decision) << change.settings[0].path;
    }
  }
  for (const Cause cause :
       {Cause::kEqual, Cause::kNear, Cause::kOutsideWindow, Cause::kKeysDiffer, Cause::kExactMode,
        Cause::kFewWords, Cause::kTooFar, Cause::kTooFarInSum, Cause::kNumbers, Cause::kNotFound}) {
    EXPECT_GT(causes[cause], 0) << Name(cause);
  }
}

}  // namespace
}  // namespace neardup
