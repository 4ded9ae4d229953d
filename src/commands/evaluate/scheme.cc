#include "commands/evaluate/scheme.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "detect/base/hash.h"

namespace neardup {
namespace {

std::vector<uint64_t> SortedTokens(std::span<const SchemeText> texts) {
  std::vector<uint64_t> tokens;
  for (const SchemeText& text : texts) {
    tokens.insert(tokens.end(), text.tokens.begin(), text.tokens.end());
  }
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

}  // namespace

void DocumentFrequencies::Add(std::span<const uint64_t> tokens) {
  ++records_;
  for (const uint64_t token : tokens) ++counts_[token];
}

uint32_t DocumentFrequencies::Of(uint64_t token) const {
  const auto found = counts_.find(token);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<uint64_t> DocumentFrequencies::Commonest(size_t count) const {
  std::vector<std::pair<uint64_t, uint32_t>> ranked(counts_.begin(), counts_.end());
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  ranked.resize(std::min(ranked.size(), count));
  std::vector<uint64_t> tokens;
  tokens.reserve(ranked.size());
  for (const auto& [token, records] : ranked) tokens.push_back(token);
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

std::vector<TokenCount> CountTokens(std::span<const SchemeText> texts) {
  std::vector<TokenCount> counts;
  for (const uint64_t token : SortedTokens(texts)) {
    if (counts.empty() || counts.back().token != token) counts.push_back({token, 0});
    ++counts.back().count;
  }
  return counts;
}

std::vector<uint64_t> DistinctTokens(std::span<const SchemeText> texts) {
  std::vector<uint64_t> tokens = SortedTokens(texts);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

namespace {

double SharedPart(size_t shared, size_t all) {
  return all == 0 ? 1.0 : static_cast<double>(shared) / static_cast<double>(all);
}

/// Added before rounding, because a product that should be a whole number may be a little less.
constexpr double kRoundingSlack = 1e-9;

}  // namespace

uint64_t HashWords(std::span<const uint64_t> words) {
  uint64_t hash = Mix64(words.size());
  for (const uint64_t word : words) hash = Mix64(hash + word);
  return hash;
}

void MakeSet(std::vector<uint64_t>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

size_t CountShared(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  size_t shared = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const bool equal = a[i] == b[j];
    const bool a_first = a[i] <= b[j];
    const bool b_first = b[j] <= a[i];
    shared += equal;
    i += a_first;
    j += b_first;
  }
  return shared;
}

std::optional<int> DistanceOf(double similarity, double similarity_min) {
  if (similarity + kRoundingSlack < similarity_min) return std::nullopt;
  return static_cast<int>(1000.0 * (1.0 - similarity) + kRoundingSlack);
}

double ShareOfLarger(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  return SharedPart(CountShared(a, b), std::max(a.size(), b.size()));
}

double Jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  const size_t shared = CountShared(a, b);
  return SharedPart(shared, a.size() + b.size() - shared);
}

void TakePrefixKeys(double similarity_min, Sketch& sketch) {
  const auto& words = sketch.words;
  if (words.empty()) {
    sketch.keys = {kNothingKey};
    return;
  }
  const double common_min = similarity_min * static_cast<double>(words.size());
  const auto common = static_cast<size_t>(std::ceil(common_min - 1e-6));
  const size_t count = std::min(words.size() - common + 1, words.size());
  sketch.keys.assign(words.begin(), words.begin() + static_cast<ptrdiff_t>(count));
}

}  // namespace neardup
