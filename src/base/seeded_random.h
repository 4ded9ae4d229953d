// Random choices that are the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace neardup {

/// SplitMix64 (Steele, Lea, Flood 2014): one seed gives the same numbers on every machine.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  uint64_t Next() { return Mix64(state_ += 0x9e3779b97f4a7c15); }
  /// 0 to n - 1; n > 0. The bias of the remainder is below n / 2^64.
  uint64_t Below(uint64_t n) { return Next() % n; }
  bool Chance(uint64_t per_mille) { return Below(1000) < per_mille; }
  /// `from` must not be empty.
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  /// Every order is equally likely.
  template <class T>
  void Shuffle(std::vector<T>& all) {
    for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[Below(i)]);
  }
  /// `count` different numbers below n, ascending; count <= n.
  std::vector<size_t> Choose(size_t count, size_t n) {
    std::vector<size_t> chosen;
    // Each number is taken with the chance still-wanted / still-there (Knuth's algorithm S).
    for (size_t number = 0; chosen.size() < count; ++number) {
      if (Below(n - number) < count - chosen.size()) chosen.push_back(number);
    }
    return chosen;
  }

 private:
  uint64_t state_;
};

}  // namespace neardup
