// How far a hash function is from one that gives every text a random value.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bench/hash_function.h"

namespace neardup {

/// Number of digests minus number of distinct digests, both cut to their low `bits`, 1 to 128.
uint64_t Collisions(std::span<const Digest> digests, int bits);

/// Expected number of pairs of `texts` distinct texts that collide, for a hash function that draws
/// `bits` bits at random. Relative to the collisions of Collisions, it is too large by about
/// texts / 2^bits / 3.
double ExpectedCollisions(uint64_t texts, int bits);

/// Number of bits that are 0 in some digest and 1 in another.
int BitsInUse(std::span<const Digest> digests);

/// How far the share of digests in which a bit is 1 is from one half, for the worst of the low
/// `bits` bits (the low 64 at most): 0 is fair, 0.5 means a constant bit.
double BiasMax(std::span<const Digest> digests, int bits);

/// Mean share of the low `bits` bits that change when one bit of a text is flipped; 0.5 is fair.
/// Flips eight bits, drawn by `seed`, of each of up to 4,000 texts spread evenly over `texts`.
double AvalancheShare(Digest (*hash)(std::string_view), int bits,
                      std::span<const std::string_view> texts, uint64_t seed);

}  // namespace neardup
