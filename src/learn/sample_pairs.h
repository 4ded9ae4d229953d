// Pairs of a sample for a person to look at.
#pragma once

#include <cstddef>
#include <vector>

#include "learn/near_structure.h"
#include "learn/sample.h"

namespace neardup {

struct SamplePair {
  Position earlier;
  Position later;
};

/// For each whole bit of mean distance from 0 to `distance_max` up to `pairs_max` records with the
/// nearest record before them, in the order of the sample. No record stands in two pairs of one
/// distance, so that one series does not fill them all.
std::vector<std::vector<SamplePair>> FindSamplePairs(const Sample& sample,
                                                     const SampledCodes& codes, int distance_max,
                                                     size_t pairs_max);

}  // namespace neardup
