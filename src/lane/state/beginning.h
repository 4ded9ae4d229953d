// How a lane began: from nothing, or with entries of records that it has not decided itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "neardup/result.h"

namespace neardup {

/// Where the entries come from that a lane had before its first decision.
enum class BeganWith : uint8_t {
  kNothing,  ///< there were none
  kHistory,  ///< records that were decided elsewhere (`neardup import`)
  kLanes,    ///< the same app with another number of lanes (`neardup lanes migrate`)
};

struct Beginning {
  BeganWith with = BeganWith::kNothing;
  /// More of the entries follow, so that no lane may start here.
  bool unfinished = false;
  uint64_t seq = 1;  ///< of the first record that the lane decides afterwards
  /// Older entries were forgotten before.
  int64_t horizon_ms = INT64_MIN;

  bool operator==(const Beginning&) const = default;
};

/// A fatal kMismatch: the beginning is unfinished. Says how to repeat it. `lanes`: how many lanes
/// the app has afterwards. `changelog`: its name.
Error BeginningIsUnfinished(const Beginning& beginning, int lanes, std::string_view changelog);

}  // namespace neardup
