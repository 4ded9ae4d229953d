// Finds where the outputs of a part of the inputs begin, without reading all outputs.
#pragma once

#include <cstdint>
#include <span>

#include "lane/ports.h"
#include "neardup/result.h"
#include "state/input.h"

namespace neardup {

/// One search in one output partition. Its records come from one input partition, in order of the
/// offsets of their origins.
struct OutputSearch {
  InputPartition output;
  int64_t begin = 0;  ///< the output's records are in [begin, end)
  int64_t end = 0;
  int64_t origin_offset = 0;
  /// Every output before it has an origin below origin_offset. From at most kOutputSearchSlack
  /// offsets later on, no output has a smaller origin.
  int64_t found = 0;
  /// seq of the first output from found + kOutputSearchSlack on; UINT64_MAX if there is none.
  uint64_t seq_behind = UINT64_MAX;
};

/// The search ends when only this many offsets are left: reading them costs less than a step.
inline constexpr int64_t kOutputSearchSlack = 1000;

/// Runs all searches at the same time, each by halving. Skips records without a neardup header.
Result<void> SearchOutputs(Source& source, std::span<OutputSearch> searches);

}  // namespace neardup
