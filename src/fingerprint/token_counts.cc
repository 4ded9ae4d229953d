#include "fingerprint/token_counts.h"

#include <algorithm>

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
