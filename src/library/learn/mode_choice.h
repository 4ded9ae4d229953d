// Chooses how the records of a stream should be matched, and at which distance, from the distances
// between the records of a sample. Labels are not needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "learn/neighbours.h"
#include "neardup/options.h"

namespace neardup {

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

}  // namespace neardup
