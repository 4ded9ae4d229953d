#include "schemes/token_counts.h"

#include <algorithm>
#include <utility>

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

}  // namespace neardup
