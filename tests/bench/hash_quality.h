// How far a hash is from one that gives every text a value by chance.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/digest.h"

namespace neardup {

/// Digests less distinct digests, both cut to their low `bits`, 1 to 128.
uint64_t Collisions(std::span<const Digest> digests, int bits);

/// Of a hash that draws `bits` bits at random for each of `texts` distinct texts. Pairs are
/// counted: a third of texts / 2^bits too many, relatively.
double ExpectedCollisions(uint64_t texts, int bits);

/// Bits that are neither 0 in all digests nor 1 in all.
int BitsInUse(std::span<const Digest> digests);

/// The largest distance, over the low `bits` bits (64 at most), of the share of digests that have
/// the bit set from one half: 0 is fair, 0.5 is a constant.
double BiasMax(std::span<const Digest> digests, int bits);

/// Mean share of the low `bits` bits that change when one bit of a text is flipped; 0.5 is fair.
/// Tries eight bits, drawn by `seed`, of each of up to 4,000 texts spread evenly over `texts`.
double AvalancheShare(Digest (*hash)(std::string_view), int bits,
                      std::span<const std::string_view> texts, uint64_t seed);

}  // namespace neardup
