// Sets of hashes as ascending words, and how much two of them share.
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

/// FORMAT: folds h = Mix64(h + word) over the words, from Mix64 of how many there are.
uint64_t HashWords(std::span<const uint64_t> words);

/// Sorts, and drops repeats.
void MakeSet(std::vector<uint64_t>& words);

/// Of two sets.
size_t CountShared(std::span<const uint64_t> a, std::span<const uint64_t> b);

/// 1 - similarity in thousandths, rounded down; nullopt below `similarity_min`.
std::optional<int> DistanceOf(double similarity, double similarity_min);

/// Shared words / words of the larger set; 1 for two empty sets.
double ShareOfLarger(std::span<const uint64_t> a, std::span<const uint64_t> b);
/// Shared words / words of either: Jaccard's coefficient; 1 for two empty sets.
double Jaccard(std::span<const uint64_t> a, std::span<const uint64_t> b);

/// Puts into the keys the smallest of the words, so many that two sets of which one of the measures
/// above is at least `similarity_min` share a key. They have at least c = similarity_min x size
/// words in common, so of the other size - c + 1 smallest of each set one must be common (prefix
/// filtering, Chaudhuri, Ganti and Kaushik 2006).
void TakePrefixKeys(double similarity_min, Sketch& sketch);

}  // namespace neardup
