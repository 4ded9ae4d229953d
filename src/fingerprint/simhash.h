// The weighted SimHash.
#pragma once

#include <cstdint>
#include <span>

#include "feature/feature_counter.h"

namespace neardup {

/// FORMAT: bit i is 1 when the features whose hash has bit i set weigh more than those whose hash
/// has not (Charikar 2002). 0 for no features. Weights are below 2^18, as FeatureCounter gives.
uint64_t Simhash(std::span<const Feature> features);

}  // namespace neardup
