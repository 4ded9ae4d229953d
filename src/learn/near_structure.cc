#include "learn/near_structure.h"

#include <algorithm>
#include <climits>
#include <set>
#include <utility>

#include "base/hash.h"
#include "fingerprint/exact_hash.h"

namespace neardup {

SampledCodes::SampledCodes(const Sample& sample)
    : simhashes_(sample.hash_seeds().size() - 1), orders_(simhashes_.size()) {
  for (size_t i = 0; i < sample.records().size(); ++i) {
    if (!sample.records()[i].exact_only) numbers_.push_back(i);
  }
  for (size_t seed = 0; seed < simhashes_.size(); ++seed) {
    const auto centre = CentreOf(sample, seed + 1);
    for (const size_t number : numbers_) {
      const SampledRecord& record = sample.records()[number];
      const SampledSketch& sketch = record.sketches[seed + 1];
      simhashes_[seed].push_back(KeyedSimhash(SimhashOf(sketch, centre), record.key));
      orders_[seed].push_back(KeyedOrder(sketch.order, record.key));
    }
  }
  TakeValues(sample);
}

void SampledCodes::TakeValues(const Sample& sample) {
  const std::vector<bool> number_fields = sample.number_fields();
  const auto texts = std::count(number_fields.begin(), number_fields.end(), false);
  const bool any_numbers = texts < static_cast<int64_t>(number_fields.size());
  parts_ = static_cast<size_t>(texts) + (any_numbers ? 1 : 0);
  for (const size_t number : numbers_) {
    const std::vector<uint64_t>& values = sample.records()[number].values;
    uint64_t numbers_hash = 0;
    for (size_t field = 0; field < values.size(); ++field) {
      if (number_fields[field]) {
        numbers_hash = Mix64(numbers_hash + values[field]);
      } else {
        values_.push_back(values[field]);
      }
    }
    if (any_numbers) values_.push_back(numbers_hash);
  }
}

NearStructure FindNearStructure(const SampledCodes& codes, std::span<const size_t> numbers) {
  NearStructure found;
  found.records = numbers.size();
  found.differing.resize(codes.parts());
  const int seeds = static_cast<int>(codes.seeds());
  std::vector<size_t> neighbours(numbers.size());
  for (size_t i = 1; i < numbers.size(); ++i) {
    int nearest = INT_MAX;
    for (size_t j = 0; j < i; ++j) {
      const int sum = codes.DistanceSum(numbers[i], numbers[j]);
      nearest = std::min(nearest, sum);
      if (sum > kNeighbourBits * seeds) continue;
      ++neighbours[i];
      ++neighbours[j];
      ++found.near_pairs;
      for (size_t part = 0; part < codes.parts(); ++part) {
        found.differing[part] += codes.DiffersIn(part, numbers[i], numbers[j]) ? 1 : 0;
      }
    }
    ++found.nearest[static_cast<size_t>(nearest / seeds)];
  }
  size_t sum = 0;
  for (const size_t count : neighbours) {
    sum += count;
    found.with_neighbour += count > 0 ? 1 : 0;
  }
  if (found.with_neighbour > 0) {
    found.neighbours_mean = static_cast<double>(sum) / static_cast<double>(found.with_neighbour);
  }
  return found;
}

double ShareToldApart(const NearStructure& structure) {
  if (structure.differing.size() < 2 || structure.near_pairs == 0) return 1;
  const size_t most = *std::max_element(structure.differing.begin(), structure.differing.end());
  return static_cast<double>(most) / static_cast<double>(structure.near_pairs);
}

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
