// The weighted SimHash (Charikar 2002), plain and centred.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "detect/feature/text_features.h"

namespace neardup {

/// For each bit: the weights of the features whose hash has it set, minus the weights of the
/// others.
using BitSums = std::array<int64_t, 64>;

/// Weights must be below 2^18; the weights of FeatureCounter are.
BitSums SumBits(const Features& features);
BitSums SumBits(std::span<const Feature> features);
/// The sums of features of weight 1.
BitSums SumBits(std::span<const uint64_t> hashes);

/// FORMAT: bit i is 1 if its sum is above 0. So it is 0 for no features.
uint64_t Simhash(const BitSums& sums);

/// The SimHash after subtracting what the records of a stream have in common (Model::centre).
/// FORMAT: bit i is 1 if 4096 sum_i > q centre_i; q is the root mean square of the 64 sums, rounded
/// down, at least 1. If a sum is 2^28 or above, all sums are first divided, towards 0, by the
/// smallest power of two that brings them below it. If nothing is divided, a centre of zeros gives
/// Simhash(sums).
uint64_t CentredSimhash(const BitSums& sums, const std::array<int32_t, 64>& centre);

/// The q of CentredSimhash. Divides `sums` as described there.
int64_t RootMeanSquare(BitSums& sums);

}  // namespace neardup
