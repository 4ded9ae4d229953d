// What kind of stream a sample shows, and the distance that goes with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "learn/gap.h"
#include "learn/near_structure.h"

namespace neardup {

enum class MatchMode : uint8_t {
  kNear,     ///< near copies stand apart from all other records: near-duplicates can be joined
  kExact,    ///< records come in series that differ by little: only equal ones should be joined
  kUnclear,  ///< near and other records run into each other: the strictest distance, and a person
};
const char* Name(MatchMode mode);

/// Below this share of the records copies cannot be told from noise.
inline constexpr double kNearShareMin = 0.005;
inline constexpr int kDistanceMin = 3;
inline constexpr int kDistanceMax = 12;
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
