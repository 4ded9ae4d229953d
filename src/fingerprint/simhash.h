// The weighted SimHash.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "feature/text_features.h"

namespace neardup {

/// For each bit: the weights of the features whose hash has it set, less those of the others.
using BitSums = std::array<int64_t, 64>;

/// Weights are below 2^18, as FeatureCounter gives.
BitSums SumBits(std::span<const Feature> features);

/// FORMAT: bit i is 1 when its sum is above 0 (Charikar 2002). 0 for no features.
uint64_t Simhash(const BitSums& sums);

/// FORMAT: bit i is 1 when 4096 sum_i > q centre_i, where q is the root mean square of the 64 sums,
/// rounded down, and at least 1. If one of the sums is 2^28 or above, all are divided by the same
/// power of two before, towards 0: the smallest that makes them lower. With a centre of zeros, and
/// where nothing is divided, this is Simhash(sums).
uint64_t CentredSimhash(const BitSums& sums, const std::array<int32_t, 64>& centre);

/// The q of CentredSimhash, and the sums as it uses them.
int64_t RootMeanSquare(BitSums& sums);

}  // namespace neardup
