#include "schemes/word_set.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"

namespace neardup {

namespace {

double Ratio(size_t shared, size_t all) {
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
  return Ratio(CountShared(a, b), std::max(a.size(), b.size()));
}

double Jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  const size_t shared = CountShared(a, b);
  return Ratio(shared, a.size() + b.size() - shared);
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
