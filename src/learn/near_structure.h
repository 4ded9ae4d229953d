// How far the records of a sample are from each other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/sample.h"

namespace neardup {

/// The simhashes and order sketches of the comparable records of a sample under each of its hash
/// seeds. A single simhash tells the angle of two records with an error of some bits; the mean of
/// several tells it well enough that what is found hangs on the records and not on the hash
/// function.
class SampledCodes {
 public:
  /// All hash seeds of the sample but the first, which is the product's own.
  explicit SampledCodes(const Sample& sample);

  size_t size() const { return numbers_.size(); }
  size_t seeds() const { return simhashes_.size(); }
  /// Index into Sample::records() of a comparable record.
  size_t record(size_t number) const { return numbers_[number]; }

  /// Sum over all seeds of the distance of two simhashes: seeds() times the mean.
  int DistanceSum(size_t a, size_t b) const {
    int sum = 0;
    for (const auto& codes : simhashes_) sum += Distance(codes[a], codes[b]);
    return sum;
  }
  int SimhashDistance(size_t seed, size_t a, size_t b) const {
    return Distance(simhashes_[seed][a], simhashes_[seed][b]);
  }
  int OrderDistance(size_t seed, size_t a, size_t b) const {
    return Distance(orders_[seed][a], orders_[seed][b]);
  }

 private:
  static int Distance(uint64_t a, uint64_t b) { return std::popcount(a ^ b); }

  std::vector<size_t> numbers_;
  std::vector<std::vector<uint64_t>> simhashes_;  ///< [seed][number]
  std::vector<std::vector<uint64_t>> orders_;
};

/// What distances of pairs there are. Histograms are by whole bits of mean distance, 0 to 64.
struct NearStructure {
  static constexpr size_t kBins = 65;
  /// Each record but the first by its distance to the nearest earlier one.
  std::vector<uint32_t> nearest = std::vector<uint32_t>(kBins);
  size_t records = 0;
  /// Records with another, earlier or later, within kNeighbourBits, and the mean number of these
  /// they have.
  size_t with_neighbour = 0;
  double neighbours_mean = 0;
};
inline constexpr int kNeighbourBits = 10;

/// Over the records with these numbers, ascending.
NearStructure FindNearStructure(const SampledCodes& codes, std::span<const size_t> numbers);

}  // namespace neardup
