// How long the hashes take, side by side.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bench/hash_function.h"

namespace neardup {

/// Nanoseconds per text. Other programs only ever add to a time: compare the least.
struct HashSpeed {
  double ns_min = 0;
  double ns_median = 0;
};

/// In each round each function hashes all texts, as often as it takes to fill some milliseconds;
/// rounds start with another function each, so that what disturbs the machine meets all.
/// `texts` and `rounds` must not be empty or 0.
std::vector<HashSpeed> MeasureSpeed(std::span<const HashFunction> functions,
                                    std::span<const std::string_view> texts, int rounds);

}  // namespace neardup
