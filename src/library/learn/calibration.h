// Finds the distance that tells copies from other records, without labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learn/mode_choice.h"
#include "learn/neighbours.h"
#include "learn/sample.h"

namespace neardup {

/// match.distance_sum_max of near mode: what the smallest match.similarity allows.
inline constexpr int kTunedDistanceSumMax = 31;
/// A smaller window may be proposed where nobody named one, but none below this.
inline constexpr uint64_t kTunedWindowMin = 10'000;

struct CalibrationOptions {
  /// Unique records that the window will hold. The more it holds, the more unrelated records match
  /// by chance.
  uint64_t window_entries = 1'000'000;
  /// If chance matches leave less than half of the distance that copies need, a smaller window is
  /// proposed, but none below this. The default never proposes one.
  uint64_t window_entries_min = UINT64_MAX;
  /// MatchOptions::similarity.
  double similarity = MatchOptions().similarity;
  /// Accepted share of unrelated records that match by chance.
  double false_match_rate_max = 0.0001;
  /// Records have texts, and those that share most of their text are copies, however many there are
  /// of one. Else their distances show whether they have copies.
  bool prose = false;
};

struct Calibration {
  MatchMode mode = MatchMode::kUnclear;
  /// MatchOptions::similarity. Tune may raise it.
  double similarity = MatchOptions().similarity;
  int distance_max = 3;
  bool widen = false;
  std::string reason;    ///< one sentence for people, without a full stop
  bool too_few = false;  ///< the sample is too small to choose anything

  size_t comparable = 0;  ///< records that have enough tokens to be compared by distance
  NeighbourStatistics neighbours;
  Valley valley;
  /// The window that the distances are for: CalibrationOptions::window_entries, or fewer.
  uint64_t window_entries = 0;
  /// Largest distance at which chance matches stay within the bound: match.distance_chance_max.
  int window_distance_max = 0;
  /// Expected share of unrelated records that are called duplicates at window_distance_max.
  double false_match_rate = 0;
  /// The same for each distance from 0 to kDistanceMax.
  std::vector<double> false_match_rates;
};

/// Deterministic. The sample must have the seeds of CalibrationSeeds. The time grows with the
/// square of the sample.
Calibration Calibrate(const Sample& sample, const CalibrationOptions& options);

/// Whether the records with fewer than `features` distinct tokens, compared only with each other,
/// have copies that stand apart. Then short records can be compared by distance, too.
bool ShortRecordsHaveCopies(const Sample& sample, uint32_t features);

/// The hash seeds for a Sample that is to be calibrated: first the seed that the filter will use,
/// then those with which distances are measured: fewer for prose, where they decide less.
std::vector<uint64_t> CalibrationSeeds(uint64_t hash_seed, bool prose = false);

}  // namespace neardup
