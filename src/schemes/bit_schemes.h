// The schemes that keep the signs of sums over all tokens and compare them bit by bit.
#pragma once

#include <memory>

#include "schemes/scheme.h"

namespace neardup {

/// SimHash (Charikar 2002; found by blocks: Manku, Jain and Das Sarma 2007) of the distinct tokens,
/// each of weight 1. The distance is Hamming's.
/// FORMAT: the word is Simhash of the tokens' hashes. It is cut into distance_max + 1 blocks, 4 at
/// least, block i of n being the bits from 64 i / n to 64 (i + 1) / n; a key is Mix64(block << 8 |
/// i).
std::unique_ptr<Scheme> NewSimhash(int distance_max);

/// The same, each token weighted by how often it stands in the record, 65,535 at most.
std::unique_ptr<Scheme> NewSimhashTf(int distance_max);

/// Random projection of 384 bits (Charikar 2002; in the form of Henzinger 2006, who takes 12 bits
/// of difference): every token has a random vector of 384 signs, and a bit is the sign of their
/// sum, the token counted as often as it stands in the record, 65,535 times at most. FORMAT: word j
/// is Simhash of the features Mix64(token + j + 1), weighted so; the keys as those of NewSimhash,
/// of 384 bits in distance_max + 1 blocks, 12 at least.
std::unique_ptr<Scheme> NewRandomProjection(int distance_max);

}  // namespace neardup
