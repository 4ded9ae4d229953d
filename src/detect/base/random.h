// Random numbers: from a seed, the same on every machine; and from the system, never the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "detect/base/hash.h"

namespace neardup {

/// SplitMix64 (Steele, Lea, Flood 2014). The same seed gives the same numbers on every machine.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  uint64_t Next() { return Mix64(state_ += 0x9e3779b97f4a7c15); }
  /// A number from 0 to n - 1; n > 0. The bias of the remainder is below n / 2^64.
  uint64_t Below(uint64_t n) { return Next() % n; }
  /// True `per_mille` times in 1000, on average.
  bool Chance(uint64_t per_mille) { return Below(1000) < per_mille; }
  /// `from` must not be empty.
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  /// Makes every order equally likely.
  template <class T>
  void Shuffle(std::vector<T>& all) {
    for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[Below(i)]);
  }
  /// Chooses `count` different numbers below n, in ascending order; count <= n.
  std::vector<size_t> Choose(size_t count, size_t n) {
    std::vector<size_t> chosen;
    // Takes each number with the chance wanted / remaining (selection sampling, Knuth's algorithm
    // S).
    for (size_t number = 0; chosen.size() < count; ++number) {
      if (Below(n - number) < count - chosen.size()) chosen.push_back(number);
    }
    return chosen;
  }

 private:
  uint64_t state_;
};

// Random numbers that distinguish things that different processes make.

/// 64 random bits of the system, never 0. Two calls, even on different machines, practically never
/// give the same number. From any thread.
uint64_t DrawId();

}  // namespace neardup
