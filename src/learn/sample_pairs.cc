#include "learn/sample_pairs.h"

#include <climits>
#include <set>
#include <utility>

namespace neardup {
namespace {

/// Number of the nearest record before this one, the first of several, and the sum of distances.
std::pair<size_t, int> NearestBefore(const SampledCodes& codes, size_t number) {
  std::pair<size_t, int> nearest = {0, INT_MAX};
  for (size_t other = 0; other < number; ++other) {
    const int sum = codes.DistanceSum(number, other);
    if (sum < nearest.second) nearest = {other, sum};
  }
  return nearest;
}

}  // namespace

std::vector<std::vector<SamplePair>> FindSamplePairs(const Sample& sample,
                                                     const SampledCodes& codes, int distance_max,
                                                     size_t pairs_max) {
  std::vector<std::vector<SamplePair>> pairs(static_cast<size_t>(distance_max) + 1);
  std::vector<std::set<size_t>> shown(pairs.size());
  const auto position = [&](size_t number) {
    return sample.records()[codes.record(number)].position;
  };
  for (size_t later = 1; later < codes.size(); ++later) {
    const auto [earlier, sum] = NearestBefore(codes, later);
    const size_t distance = static_cast<size_t>(sum) / codes.seeds();
    if (distance >= pairs.size() || pairs[distance].size() >= pairs_max) continue;
    if (shown[distance].contains(earlier)) continue;
    shown[distance].insert({earlier, later});
    pairs[distance].push_back({position(earlier), position(later)});
  }
  return pairs;
}

}  // namespace neardup
