// How often unrelated records look like copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learn/mode_choice.h"
#include "learn/near_structure.h"
#include "learn/sample.h"

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

// Which distance tells copies from other records, found without labels.

struct CalibrationOptions {
  /// Unique records the window will hold; more of them bring more chance matches.
  uint64_t window_entries = 1'000'000;
  /// Where chance matches leave less than half of the distance that copies need, the window may
  /// hold fewer records instead, but no fewer than this.
  uint64_t window_entries_min = UINT64_MAX;
  /// Chance matches accepted, as a share of the records.
  double false_match_rate_max = 0.01;
};

struct Calibration {
  MatchMode mode = MatchMode::kUnclear;
  int distance_max = 3;
  bool widen = false;
  /// Why, in one sentence.
  std::string reason;

  size_t comparable = 0;  ///< records with enough tokens
  NearStructure structure;
  Gap gap;
  /// What the distances are for: CalibrationOptions::window_entries, or fewer.
  uint64_t window_entries = 0;
  /// Largest distance whose chance matches stay within the bound.
  int window_distance_max = 0;
  /// Expected share of unrelated records that are called duplicates at distance_max.
  double false_match_rate = 0;
  /// The same for every distance_max from 0 to 12.
  std::vector<double> false_match_rates;
  /// Random halves of the sample that were asked (none, where masks decided), and those that chose
  /// the same mode and a distance at most 1 away.
  int votes = 0;
  int votes_for = 0;
};

/// Deterministic; takes time with the square of the sample, about half a second for 3,000 records.
Calibration Calibrate(const Sample& sample, const CalibrationOptions& options);

/// Whether the records of fewer than `features` distinct tokens, compared with each other only,
/// show copies that stand apart: then they may be compared by more than equality.
bool ShortRecordsStandApart(const Sample& sample, uint32_t features);

/// What to give as `hash_seeds` to a Sample that is to be calibrated: the product's own, and those
/// the distances are measured with.
std::vector<uint64_t> CalibrationSeeds(uint64_t hash_seed);

}  // namespace neardup
