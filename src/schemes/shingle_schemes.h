// The schemes over runs of adjacent characters.
#pragma once

#include <cstddef>
#include <memory>

#include "schemes/scheme.h"

namespace neardup {

struct ShingleOptions {
  /// Characters in a shingle, 1 or more.
  size_t shingle_length = 0;
  /// Smallest Jaccard coefficient of duplicates.
  double similarity_min = 0;
};

/// The distinct Hash64 of all runs of `length` characters in UTF-8 of the tokens of all texts,
/// written one after the other without spaces; of the whole when it is shorter, none when it is
/// empty. Ascending.
std::vector<uint64_t> CharacterShingles(std::span<const SchemeText> texts, size_t length);

/// w-shingling (Broder, Glassman, Manasse and Zweig 1997): Jaccard's coefficient of the sets of
/// shingles, all kept. FORMAT: words are CharacterShingles, keys as TakePrefixKeys, so that what a
/// full scan finds is found.
std::unique_ptr<Scheme> NewShingles(const ShingleOptions& options);

/// MinHash (Broder 1997) of 128 permutations, found by 25 bands of 5. The distance is how many of
/// the 128 differ; equal ones / 128 estimates Jaccard's coefficient. A pair at an estimate of 0.7
/// shares a band with a probability of 0.99.
/// FORMAT: the minimum of permutation i is the smallest (x a + b) >> 32 over the shingles x, with
/// a = Mix64(2 i + 1) | 1 and b = Mix64(2 i + 2), modulo 2^64. Word j holds those of 2 j (lower
/// half) and 2 j + 1; a key is HashWords of a band's number and its 5 minima. No words and
/// kNothingKey without a shingle.
std::unique_ptr<Scheme> NewMinHash(const ShingleOptions& options);

}  // namespace neardup
