#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "commands/evaluate/families.h"
#include "commands/evaluate/scheme.h"
#include "commands/evaluate/sentence_schemes.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

using Words = std::span<const uint64_t>;

class MultiMd5TokensScheme : public Scheme {
 public:
  explicit MultiMd5TokensScheme(const SchemeValues& values)
      : first_tokens_(values.Whole("first_tokens")),
        equal_share_min_(values.Real("equal_share_min")) {}

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    auto counts = CountTokens(texts);
    sketch.words.assign(1, 0);
    for (const TokenCount& count : counts) sketch.words.push_back(count.token);
    // A stable sort keeps the smaller hash in front if two tokens are equally frequent.
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    counts.resize(std::min<size_t>(counts.size(), first_tokens_));
    std::vector<uint64_t> first;
    for (const TokenCount& count : counts) first.push_back(count.token);
    std::sort(first.begin(), first.end());
    sketch.words[0] = HashWords(first);
    sketch.keys = {sketch.words[0]};
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    if (earlier[0] != later[0]) return {};
    return DistanceOf(ShareOfLarger(earlier.subspan(1), later.subspan(1)), equal_share_min_);
  }

 private:
  uint32_t first_tokens_;
  double equal_share_min_;
};

/// The sketch is one hash, equal or not. A derived class says of which tokens.
class OneHashScheme : public Scheme {
 public:
  explicit OneHashScheme(SharedFrequencies frequencies) : frequencies_(std::move(frequencies)) {
    assert(frequencies_);
  }

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch.words = {HashOf(DistinctTokens(texts))};
    sketch.keys = sketch.words;
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    if (earlier[0] != later[0]) return {};
    return 0;
  }

 protected:
  const DocumentFrequencies& frequencies() const { return *frequencies_; }

 private:
  /// `tokens` are distinct and ascending.
  virtual uint64_t HashOf(std::vector<uint64_t> tokens) const = 0;

  SharedFrequencies frequencies_;
};

class IMatchScheme : public OneHashScheme {
 public:
  IMatchScheme(const SchemeValues& values, SharedFrequencies frequencies)
      : OneHashScheme(std::move(frequencies)),
        records_min_(values.Whole("records_min")),
        records_max_(values.Real("record_share_max") * this->frequencies().records()) {}

 private:
  uint64_t HashOf(std::vector<uint64_t> tokens) const override {
    const uint64_t all = HashWords(tokens);
    std::erase_if(tokens, [this](uint64_t token) {
      const uint32_t records = frequencies().Of(token);
      return records < records_min_ || records > records_max_;
    });
    return tokens.empty() ? Mix64(all + 1) : HashWords(tokens);
  }

  uint32_t records_min_;
  double records_max_;
};

class IdfStringScheme : public OneHashScheme {
 public:
  IdfStringScheme(const SchemeValues& values, SharedFrequencies frequencies)
      : OneHashScheme(std::move(frequencies)), token_share_(values.Real("token_share")) {}

 private:
  uint64_t HashOf(std::vector<uint64_t> tokens) const override {
    std::stable_sort(tokens.begin(), tokens.end(), [this](uint64_t a, uint64_t b) {
      return frequencies().Of(a) < frequencies().Of(b);
    });
    const double count = std::ceil(token_share_ * static_cast<double>(tokens.size()) - 1e-6);
    tokens.resize(static_cast<size_t>(count));
    std::sort(tokens.begin(), tokens.end());
    return HashWords(tokens);
  }

  double token_share_;
};

class PageAttributesScheme : public Scheme {
 public:
  PageAttributesScheme(const SchemeValues& values, SharedFrequencies frequencies)
      : top_tokens_(values.Whole("top_tokens")),
        weight_ratio_min_(values.Real("weight_ratio_min")),
        frequencies_(std::move(frequencies)) {}

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    auto top = Weigh(texts);
    uint64_t weight = 0;
    std::vector<uint64_t> tokens;
    for (const auto& [token_weight, token] : top) {
      weight += token_weight;
      tokens.push_back(token);
    }
    const uint64_t in_order = HashWords(tokens);
    std::sort(tokens.begin(), tokens.end());
    sketch.words = {in_order, HashWords(tokens), weight, Summary(texts)};
    sketch.keys = {sketch.words[1]};
    if (sketch.words[3] != 0) sketch.keys.push_back(sketch.words[3]);
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    if (earlier[0] == later[0]) return 0;
    const auto [low, high] = std::minmax(earlier[2], later[2]);
    const bool near = static_cast<double>(low) >= weight_ratio_min_ * static_cast<double>(high);
    if (earlier[1] == later[1] && near) return 1;
    if (earlier[3] == later[3]) return 2;
    return {};
  }

 private:
  /// The top tokens as {weight, token}, by falling weight, then rising token.
  std::vector<std::pair<uint64_t, uint64_t>> Weigh(std::span<const SchemeText> texts) const {
    std::vector<std::pair<uint64_t, uint64_t>> weights;
    for (const TokenCount& count : CountTokens(texts)) {
      weights.emplace_back(count.count * Idf(count.token), count.token);
    }
    std::stable_sort(weights.begin(), weights.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    weights.resize(std::min<size_t>(weights.size(), top_tokens_));
    return weights;
  }

  uint64_t Idf(uint64_t token) const {
    if (!frequencies_) return 1;
    const double rarity = (frequencies_->records() + 1.0) / (frequencies_->Of(token) + 1.0);
    return static_cast<uint64_t>(std::lround(256 * (1 + std::log(rarity))));
  }

  static uint64_t Summary(std::span<const SchemeText> texts) {
    Sentence longest;
    for (const Sentence& sentence : FindSentences(texts)) {
      if (sentence.tokens > longest.tokens) longest = sentence;
    }
    return longest.hash;
  }

  uint32_t top_tokens_;
  double weight_ratio_min_;
  SharedFrequencies frequencies_;
};

}  // namespace

std::unique_ptr<Scheme> NewMultiMd5Tokens(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<MultiMd5TokensScheme>(values);
}

std::unique_ptr<Scheme> NewIMatch(const SchemeValues& values, SharedFrequencies frequencies) {
  return std::make_unique<IMatchScheme>(values, std::move(frequencies));
}

std::unique_ptr<Scheme> NewIdfString(const SchemeValues& values, SharedFrequencies frequencies) {
  return std::make_unique<IdfStringScheme>(values, std::move(frequencies));
}

std::unique_ptr<Scheme> NewPageAttributes(const SchemeValues& values,
                                          SharedFrequencies frequencies) {
  return std::make_unique<PageAttributesScheme>(values, std::move(frequencies));
}

}  // namespace neardup
