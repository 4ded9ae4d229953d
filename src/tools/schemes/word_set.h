// Sets of hashes, kept as ascending words, and measures of how much two sets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schemes/scheme.h"

namespace neardup {

/// The key of a record that has nothing to compare. Such records are equal to each other.
inline constexpr uint64_t kNothingKey = 0;

/// Hash: h starts as Mix64(number of words); each word makes it Mix64(h + word).
uint64_t HashWords(std::span<const uint64_t> words);

/// Sorts the words and drops repeats.
void MakeSet(std::vector<uint64_t>& words);

/// Number of words that two sets have in common.
size_t CountShared(std::span<const uint64_t> a, std::span<const uint64_t> b);

/// 1 - similarity in thousandths, rounded down; nullopt if similarity is below `similarity_min`.
std::optional<int> DistanceOf(double similarity, double similarity_min);

/// Shared words / words of the larger set; 1 for two empty sets.
double ShareOfLarger(std::span<const uint64_t> a, std::span<const uint64_t> b);
/// Jaccard's coefficient: shared words / words of either set; 1 for two empty sets.
double Jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b);

/// Makes the smallest words of the set the keys of the sketch: as many as are needed for two sets
/// to share a key whenever one of the measures above is at least `similarity_min`. Such sets have
/// at least c = similarity_min x size words in common, so at least one common word is among the
/// size - c + 1 smallest of each (prefix filtering, Chaudhuri, Ganti and Kaushik 2006).
void TakePrefixKeys(double similarity_min, Sketch& sketch);

}  // namespace neardup
