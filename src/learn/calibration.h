// Which distance tells copies from other records, found without labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learn/gap.h"
#include "learn/near_structure.h"
#include "learn/sample.h"

namespace neardup {

enum class MatchMode : uint8_t {
  kNear,     ///< near copies stand apart from all other records: near-duplicates can be joined
  kExact,    ///< records come in series that differ by little: only equal ones should be joined
  kUnclear,  ///< near and other records run into each other: the strictest distance, and a person
};
const char* Name(MatchMode mode);

struct CalibrationOptions {
  /// Unique records the window will hold; more of them bring more chance matches.
  uint64_t window_entries = 1'000'000;
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
  /// Largest distance whose chance matches stay within the bound.
  int window_distance_max = 0;
  /// Expected share of unrelated records that are called duplicates at distance_max.
  double false_match_rate = 0;
  /// The same for every distance_max from 0 to 12.
  std::vector<double> false_match_rates;
  /// Random halves of the sample that were asked, and those that chose the same mode and a distance
  /// at most 1 away.
  int votes = 0;
  int votes_for = 0;
};

/// Deterministic; takes time with the square of the sample, about half a second for 3,000 records.
Calibration Calibrate(const Sample& sample, const CalibrationOptions& options);

/// What to give as `hash_seeds` to a Sample that is to be calibrated: the product's own, and those
/// the distances are measured with.
std::vector<uint64_t> CalibrationSeeds(uint64_t hash_seed);

}  // namespace neardup
