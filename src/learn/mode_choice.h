// The gap between copies and all other records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "learn/near_structure.h"
#include "neardup/options.h"

namespace neardup {

/// What a histogram of nearest distances shows. Unrelated records make a mode far to the right;
/// copies, where there are any, lie left of it; the emptiest place between is the gap.
struct Gap {
  /// Mode of the unrelated records, in bits.
  int unrelated = 0;
  /// Middle of the gap, in bits.
  int at = 0;
  /// Records at the gap as a share of those at the mode of unrelated records. Small is clear.
  double depth = 1;
  /// The same, as a share of the lower of the peaks on both sides.
  double depth_of_lower = 1;
  /// Share of the records whose nearest lies below the gap.
  double near_share = 0;
  /// Where the other records begin: from their mode leftwards, the first place that is as good as
  /// empty.
  int others_begin = 0;
};
Gap FindGap(const NearStructure& structure);

// What kind of stream a sample shows, and the distance that goes with it.

enum class MatchMode : uint8_t {
  kNear,     ///< near copies stand apart from all other records: near-duplicates can be joined
  kExact,    ///< records come in series that differ by little: only equal ones should be joined
  kUnclear,  ///< near and other records run into each other: the strictest distance, and a person
};
const char* Name(MatchMode mode);

/// Below this share of the records copies cannot be told from noise.
inline constexpr double kNearShareMin = 0.005;
inline constexpr int kDistanceMin = 3;
inline constexpr int kDistanceMax = MatchOptions::kDistanceMaxRange.max;
/// Where the sample holds no copies that could tell a larger one.
inline constexpr int kDistanceMaxWithoutCopies = 8;

struct ModeChoice {
  MatchMode mode = MatchMode::kUnclear;
  int distance_max = kDistanceMin;
  /// The sample holds copies by which the distance was found.
  bool copies = false;
  /// Why, in one sentence.
  std::string reason;
};

/// Of what these records show.
ModeChoice ChooseMode(const NearStructure& structure);

/// The choice of random halves of the records too.
struct VotedChoice {
  /// The mode of more than half of the halves, or else of all records; its median distance.
  ModeChoice choice;
  NearStructure structure;  ///< of all
  int votes = 0;
  int votes_for = 0;  ///< halves that chose the same mode and a distance at most 1 away
};
/// Over the records with these numbers, ascending. Deterministic.
VotedChoice VoteMode(const SampledCodes& codes, std::span<const size_t> numbers);

}  // namespace neardup
