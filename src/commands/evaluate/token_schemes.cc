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
  explicit MultiMd5TokensScheme(const MultiMd5TokensOptions& options) : options_(options) {}

  std::string_view name() const override { return "multi-md5-tokens"; }

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    auto counts = CountTokens(texts);
    sketch.words.assign(1, 0);
    for (const TokenCount& count : counts) sketch.words.push_back(count.token);
    // A stable sort keeps the smaller hash in front if two tokens are equally frequent.
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    counts.resize(std::min<size_t>(counts.size(), options_.first_tokens));
    std::vector<uint64_t> first;
    for (const TokenCount& count : counts) first.push_back(count.token);
    std::sort(first.begin(), first.end());
    sketch.words[0] = HashWords(first);
    sketch.keys = {sketch.words[0]};
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    if (earlier[0] != later[0]) return {};
    return DistanceOf(ShareOfLarger(earlier.subspan(1), later.subspan(1)),
                      options_.equal_share_min);
  }

 private:
  MultiMd5TokensOptions options_;
};

/// The sketch is one hash, equal or not. A derived class says of which tokens.
class OneHashScheme : public Scheme {
 public:
  OneHashScheme(std::string_view name, SharedFrequencies frequencies)
      : name_(name), frequencies_(std::move(frequencies)) {
    assert(frequencies_);
  }

  std::string_view name() const override { return name_; }

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

  std::string_view name_;
  SharedFrequencies frequencies_;
};

class IMatchScheme : public OneHashScheme {
 public:
  IMatchScheme(const IMatchOptions& options, SharedFrequencies frequencies)
      : OneHashScheme("i-match", std::move(frequencies)),
        records_min_(options.records_min),
        records_max_(options.record_share_max * this->frequencies().records()) {}

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
  IdfStringScheme(double token_share, SharedFrequencies frequencies)
      : OneHashScheme("idf-string", std::move(frequencies)), token_share_(token_share) {}

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
  PageAttributesScheme(const PageAttributesOptions& options, SharedFrequencies frequencies)
      : options_(options), frequencies_(std::move(frequencies)) {}

  std::string_view name() const override { return "page-attributes"; }

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
    const bool near =
        static_cast<double>(low) >= options_.weight_ratio_min * static_cast<double>(high);
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
    weights.resize(std::min<size_t>(weights.size(), options_.top_tokens));
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

  PageAttributesOptions options_;
  SharedFrequencies frequencies_;
};

}  // namespace

std::unique_ptr<Scheme> NewMultiMd5Tokens(const MultiMd5TokensOptions& options) {
  return std::make_unique<MultiMd5TokensScheme>(options);
}

std::unique_ptr<Scheme> NewIMatch(const IMatchOptions& options, SharedFrequencies frequencies) {
  return std::make_unique<IMatchScheme>(options, std::move(frequencies));
}

std::unique_ptr<Scheme> NewIdfString(double token_share, SharedFrequencies frequencies) {
  return std::make_unique<IdfStringScheme>(token_share, std::move(frequencies));
}

std::unique_ptr<Scheme> NewPageAttributes(const PageAttributesOptions& options,
                                          SharedFrequencies frequencies) {
  return std::make_unique<PageAttributesScheme>(options, std::move(frequencies));
}

}  // namespace neardup
