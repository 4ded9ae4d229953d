#include "learn/near_structure.h"

#include <algorithm>
#include <climits>

#include "fingerprint/key_hash.h"

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
}

NearStructure FindNearStructure(const SampledCodes& codes, std::span<const size_t> numbers) {
  NearStructure found;
  found.records = numbers.size();
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

}  // namespace neardup
