#include "feature/text_features.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/hash.h"

namespace neardup {

namespace {

/// w(n) of FeatureCounter for n = 0 to 63. A table, because logarithms of different C libraries
/// differ in the last bit.
constexpr uint8_t kCountWeights[] = {
    0,  16, 27, 34, 38, 42, 45, 47, 49, 51, 53, 54, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65,
    65, 66, 67, 68, 68, 69, 69, 70, 70, 71, 71, 72, 72, 73, 73, 74, 74, 75, 75, 75, 76, 76,
    77, 77, 77, 78, 78, 78, 79, 79, 79, 80, 80, 80, 80, 81, 81, 81, 82, 82, 82, 82};
static_assert(std::size(kCountWeights) == 64);

uint64_t CountWeight(uint32_t count) {
  return kCountWeights[std::min<size_t>(count, std::size(kCountWeights) - 1)];
}

uint64_t Pair(uint64_t a, uint64_t b) { return Mix64(Mix64(a) + b); }

}  // namespace

std::span<const Feature> FeatureCounter::Count(std::span<const uint64_t> tokens,
                                               std::span<const TokenRange> ranges) {
  Clear(tokens.size());
  size_t at = 0;
  for (const TokenRange& range : ranges) {
    for (; at < range.end; ++at) Add(tokens[at], range.weight16);
  }
  for (size_t i = 0; i < features_.size(); ++i) {
    const uint32_t count = counts_[i];
    const uint64_t sum = CountWeight(count) * features_[i].weight;
    features_[i].weight = count == 1 ? sum : sum / count;
  }
  return features_;
}

std::span<const uint64_t> FeatureCounter::Distinct(std::span<const uint64_t> hashes) {
  Clear(hashes.size());
  if (distinct_.size() < hashes.size()) distinct_.resize(hashes.size());
  uint32_t count = 0;
  for (const uint64_t hash : hashes) {
    uint64_t slot = hash & slot_mask_;
    while (slots_[slot] != 0 && distinct_[slots_[slot] - 1] != hash) slot = (slot + 1) & slot_mask_;
    if (slots_[slot] != 0) continue;
    distinct_[count] = hash;
    slots_[slot] = ++count;
  }
  return std::span(distinct_).first(count);
}

void FeatureCounter::Clear(size_t tokens_max) {
  features_.clear();
  counts_.clear();
  const size_t slot_count = std::bit_ceil(2 * tokens_max + 1);
  if (slots_.size() < slot_count) slots_.resize(slot_count);
  std::fill_n(slots_.begin(), slot_count, 0);
  slot_mask_ = slot_count - 1;
}

void FeatureCounter::Add(uint64_t token, uint32_t weight16) {
  for (uint64_t slot = token & slot_mask_;; slot = (slot + 1) & slot_mask_) {
    const uint32_t number = slots_[slot];
    if (number == 0) {
      features_.push_back({token, weight16});
      counts_.push_back(1);
      slots_[slot] = static_cast<uint32_t>(features_.size());
      return;
    }
    if (features_[number - 1].hash == token) {
      features_[number - 1].weight += weight16;
      ++counts_[number - 1];
      return;
    }
  }
}

void AppendPairs(std::span<const uint64_t> tokens, std::vector<uint64_t>& pairs) {
  if (tokens.empty()) return;
  const size_t begin = pairs.size();
  pairs.resize(begin + std::max<size_t>(tokens.size() - 1, 1));
  if (tokens.size() == 1) pairs[begin] = Pair(tokens[0], 0);
  for (size_t i = 1; i < tokens.size(); ++i) pairs[begin + i - 1] = Pair(tokens[i - 1], tokens[i]);
}

void AppendTriples(std::span<const uint64_t> tokens, std::span<const uint64_t> pairs,
                   std::vector<uint64_t>& triples) {
  if (tokens.empty()) return;
  if (tokens.size() <= 2) {
    triples.push_back(Mix64(pairs[0]));
    return;
  }
  const size_t begin = triples.size();
  triples.resize(begin + tokens.size() - 2);
  for (size_t i = 2; i < tokens.size(); ++i) {
    triples[begin + i - 2] = Mix64(pairs[i - 2] + tokens[i]);
  }
}

}  // namespace neardup
