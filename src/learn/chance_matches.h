// How often unrelated records look like copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/near_structure.h"

namespace neardup {

/// Single-sketch distances of pairs of records that are not near each other, and what they promise
/// for a larger window than the sample.
class ChanceMatches {
 public:
  /// Pairs with a mean distance of more than `related_max` bits count as unrelated.
  ChanceMatches(const SampledCodes& codes, int related_max);

  /// Probability that two unrelated records have a simhash distance of at most `distance_max` and
  /// that this and their order distance are at most `distance_sum_max` together, both taken as
  /// independent of each other. Rises with `distance_max`. Where the sample shows too few such
  /// pairs it is extrapolated by the slope of the counts, which is too high rather than too low.
  double PairRate(int distance_max, int distance_sum_max) const;

 private:
  static double TailShare(const std::vector<uint64_t>& bins, uint64_t total, int distance_max);

  std::vector<uint64_t> simhash_;
  std::vector<uint64_t> order_;
  uint64_t total_ = 0;
};

}  // namespace neardup
