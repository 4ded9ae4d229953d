#include "learn/chance_matches.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace neardup {
namespace {

constexpr size_t kBins = 65;
/// So many pairs show a share well enough, and a slope over so many bits.
constexpr uint64_t kPairsMin = 100;
constexpr int kSlopeBits = 3;

}  // namespace

ChanceMatches::ChanceMatches(const SampledCodes& codes, int related_max)
    : simhash_(kBins), order_(kBins) {
  const int seeds = static_cast<int>(codes.seeds());
  for (size_t i = 1; i < codes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (codes.DistanceSum(i, j) <= related_max * seeds) continue;
      for (size_t seed = 0; seed < codes.seeds(); ++seed) {
        ++simhash_[static_cast<size_t>(codes.SimhashDistance(seed, i, j))];
        ++order_[static_cast<size_t>(codes.OrderDistance(seed, i, j))];
      }
      total_ += codes.seeds();
    }
  }
}

double ChanceMatches::PairRate(int distance_max, int distance_sum_max) const {
  double rate = 0;
  double nearer = 0;
  for (int distance = 0; distance <= distance_max; ++distance) {
    const double within = TailShare(simhash_, total_, distance);
    const double at = std::max(within - nearer, 0.0);
    rate += at * TailShare(order_, total_, distance_sum_max - distance);
    nearer = within;
  }
  return rate;
}

double ChanceMatches::TailShare(const std::vector<uint64_t>& bins, uint64_t total,
                                int distance_max) {
  if (total == 0) return 1;
  if (distance_max < 0) return 0;
  const auto last = static_cast<size_t>(std::min(distance_max, static_cast<int>(kBins) - 1));
  std::vector<uint64_t> below(bins.size());
  std::partial_sum(bins.begin(), bins.end(), below.begin());
  const auto share = [&](size_t bits) {
    return static_cast<double>(below[bits]) / static_cast<double>(total);
  };
  if (below[last] >= kPairsMin) return share(last);
  size_t known = last;
  while (known < kBins - 1 - kSlopeBits && below[known] < kPairsMin) ++known;
  const double slope =
      std::pow(share(known + kSlopeBits) / std::max(share(known), 1e-300), 1.0 / kSlopeBits);
  return share(known) / std::pow(slope, static_cast<double>(known - last));
}

}  // namespace neardup
