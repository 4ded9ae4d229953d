// Finds the distance that tells copies from other records, without labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learn/neighbours.h"
#include "learn/sample.h"
#include "neardup/options.h"

namespace neardup {

// Chooses how the records of a stream should be matched, and at which distance, from the distances
// between the records of a sample. Labels are not needed.

/// The histogram NeighbourStatistics::nearest as two peaks and the valley between them. Unrelated
/// records make a peak far to the right. Copies, if there are any, lie to the left of it. The
/// emptiest place between is the valley. Places are bins, that is whole bits of distance.
struct Valley {
  int unrelated = 0;  ///< peak of the unrelated records
  int middle = 0;     ///< middle of the valley
  /// Records in the valley per record at the peak of unrelated records. Near 0: clearly separated.
  double ratio_to_unrelated = 1;
  /// Records in the valley per record at the lower one of the two peaks beside it.
  double ratio_to_lower_peak = 1;
  /// Share of the records whose nearest earlier record is closer than the middle of the valley.
  double near_share = 0;
  /// First place to the left of the peak of unrelated records that is as good as empty.
  int unrelated_begin = 0;
};
Valley FindValley(const NeighbourStatistics& statistics);

enum class MatchMode : uint8_t {
  kNear,     ///< near copies stand apart from other records and can be joined
  kExact,    ///< records come in series that differ by little: join only equal records
  kUnclear,  ///< copies and other records overlap: the strictest distance, and a person decides
};
const char* Name(MatchMode mode);

/// Below this share of the records, copies cannot be told from noise.
inline constexpr double kNearShareMin = 0.005;
inline constexpr int kDistanceMin = 3;
inline constexpr int kDistanceMax = MatchOptions::kDistanceMaxRange.max;
/// Bound on the distance if the sample has no copies that justify a larger one.
inline constexpr int kDistanceMaxWithoutCopies = 8;

struct ModeChoice {
  MatchMode mode = MatchMode::kUnclear;
  int distance_max = kDistanceMin;
  bool copies = false;   ///< the distance was found from copies in the sample
  std::string reason;    ///< one sentence for people, without a full stop
  bool too_few = false;  ///< the sample is too small to choose anything
};

ModeChoice ChooseMode(const NeighbourStatistics& statistics);

/// The widest near mode, for records whose prose says what they are.
/// With too few records there is no model, either (LearnModel).
ModeChoice ProseMode(bool too_few);

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

struct Calibration : ModeChoice {
  /// MatchOptions::similarity. Tune may raise it.
  double similarity = MatchOptions().similarity;
  bool widen = false;

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
