#include "feature/text_features.h"

#include "base/hash.h"

namespace neardup {
namespace {

uint64_t Pair(uint64_t a, uint64_t b) { return Mix64(Mix64(a) + b); }

}  // namespace

void AppendPairs(std::span<const uint64_t> tokens, std::vector<uint64_t>& pairs) {
  if (tokens.size() == 1) pairs.push_back(Pair(tokens[0], 0));
  for (size_t i = 1; i < tokens.size(); ++i) pairs.push_back(Pair(tokens[i - 1], tokens[i]));
}

void AppendTriples(std::span<const uint64_t> tokens, std::vector<uint64_t>& triples) {
  if (tokens.empty()) return;
  if (tokens.size() <= 2) {
    triples.push_back(Mix64(Pair(tokens[0], tokens.size() == 2 ? tokens[1] : 0)));
    return;
  }
  for (size_t i = 2; i < tokens.size(); ++i) {
    triples.push_back(Mix64(Pair(tokens[i - 2], tokens[i - 1]) + tokens[i]));
  }
}

}  // namespace neardup
