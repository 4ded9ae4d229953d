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
  /// The selected fields that hold text, each by itself, and those that hold numbers as one: what a
  /// series of events measures.
  size_t parts() const { return parts_; }
  bool DiffersIn(size_t part, size_t a, size_t b) const {
    return values_[a * parts_ + part] != values_[b * parts_ + part];
  }
  int SimhashDistance(size_t seed, size_t a, size_t b) const {
    return Distance(simhashes_[seed][a], simhashes_[seed][b]);
  }
  int OrderDistance(size_t seed, size_t a, size_t b) const {
    return Distance(orders_[seed][a], orders_[seed][b]);
  }

 private:
  void TakeValues(const Sample& sample);
  static int Distance(uint64_t a, uint64_t b) { return std::popcount(a ^ b); }

  std::vector<size_t> numbers_;
  std::vector<std::vector<uint64_t>> simhashes_;  ///< [seed][number]
  std::vector<std::vector<uint64_t>> orders_;
  size_t parts_ = 0;
  std::vector<uint64_t> values_;  ///< [number * parts_ + part]
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
  /// Pairs within kNeighbourBits, and in how many of them each part of the records differs.
  size_t near_pairs = 0;
  std::vector<size_t> differing;
};
inline constexpr int kNeighbourBits = 10;

/// Share of the near pairs that differ in the part that differs most often; 1 where records are of
/// one part, or none are near.
double ShareToldApart(const NearStructure& structure);

/// Over the records with these numbers, ascending.
NearStructure FindNearStructure(const SampledCodes& codes, std::span<const size_t> numbers);

// Pairs of a sample for a person to look at.

struct SamplePair {
  Position earlier;
  Position later;
};

/// For each whole bit of mean distance from 0 to `distance_max` up to `pairs_max` records with the
/// nearest record before them, in the order of the sample. No record stands in two pairs of one
/// distance, so that one series does not fill them all.
std::vector<std::vector<SamplePair>> FindSamplePairs(const Sample& sample,
                                                     const SampledCodes& codes, int distance_max,
                                                     size_t pairs_max);

}  // namespace neardup
