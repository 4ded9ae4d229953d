// What a scheme did with a labelled stream. Only what is unique is remembered and matched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evaluate/accuracy.h"

namespace neardup {

struct SchemeRun {
  std::string scheme;  ///< as it was chosen
  Accuracy accuracy;
  uint64_t records = 0;
  uint64_t dead_letters = 0;
  /// Payload to verdict, on one thread. What a scheme learns beforehand is not counted.
  double seconds = 0;
  /// Records remembered, and the memory it took on top of what an empty index has.
  uint64_t entries = 0;
  uint64_t bytes = 0;

  double records_per_s() const { return seconds > 0 ? static_cast<double>(records) / seconds : 0; }
  std::optional<double> bytes_per_entry() const {
    if (entries == 0) return std::nullopt;
    return static_cast<double>(bytes) / static_cast<double>(entries);
  }
};

/// What the filter finds at another distance_max.
struct CurvePoint {
  int distance_max = 0;
  Tally tally;
};

}  // namespace neardup
