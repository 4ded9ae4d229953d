#include "fingerprint/simhash.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace neardup {
namespace {

constexpr int kBits = 64;
constexpr int64_t kCentreUnit = 4096;
constexpr int kSumBitsMax = 28;
constexpr uint64_t kWeightEnd = uint64_t{1} << 18;

/// 64 sums side by side, as binary numbers: bit i of a word at level j is worth 2^j in sum i. Four
/// full adders turn seven words of a level into one word of that level and one word of each of the
/// next two levels, for 64 sums at once (carry-save adders, as in Mula, Kurz and Lemire, "Faster
/// population counts using AVX2 instructions", 2018).
class SumsByLevel {
 public:
  /// Adds 2^level to the sums of the bits that are set in `word`.
  void Add(uint64_t word, int level) {
    uint8_t& count = counts_[level];
    words_[level][count++] = word;
    top_ = std::max(top_, level);
    if (count == kFull) Reduce(level);
  }

  /// Adds 1 to the sums of the bits that are set in each of the words.
  void AddAll(std::span<const uint64_t> words) {
    constexpr size_t kTaken = kFull - 1;  // the seventh is what the round before has left
    for (; words.size() >= kTaken; words = words.subspan(kTaken)) {
      assert(counts_[0] <= 1);
      uint64_t* first = words_[0];
      if (counts_[0] == 0) first[counts_[0]++] = 0;
      std::copy_n(words.begin(), kTaken, first + 1);
      Reduce(0);
    }
    for (const uint64_t word : words) Add(word, 0);
  }

  BitSums Finish() {
    // Now one word for each level, so that word j holds bit j of every sum.
    uint64_t planes[kLevels] = {};
    int used = 0;
    for (int level = 0; level <= top_; ++level) {
      uint64_t* words = words_[level];
      uint8_t& count = counts_[level];
      while (count > 1) {
        const Digits digits =
            AddBits(words[count - 1], words[count - 2], count > 2 ? words[count - 3] : 0);
        count = static_cast<uint8_t>(count > 2 ? count - 2 : count - 1);
        words[count - 1] = digits.ones;
        if (digits.twos != 0) Add(digits.twos, level + 1);
      }
      if (count == 1) planes[level] = words[0];
      if (planes[level] != 0) used = level + 1;
    }
    BitSums sums{};
    for (int first = 0; first < used; first += kByte) AddBytes(planes + first, first, sums);
    return sums;
  }

 private:
  static constexpr int kLevels = 64;
  static constexpr int kByte = 8;
  static constexpr size_t kFull = 7;

  struct Digits {
    uint64_t ones = 0;
    uint64_t twos = 0;
  };

  static Digits AddBits(uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t either = a ^ b;
    return {either ^ c, (a & b) | (either & c)};
  }

  void Reduce(int level) {
    uint64_t* words = words_[level];
    const Digits left = AddBits(words[0], words[1], words[2]);
    const Digits right = AddBits(words[3], words[4], words[5]);
    const Digits ones = AddBits(left.ones, right.ones, words[6]);
    const Digits twos = AddBits(left.twos, right.twos, ones.twos);
    words[0] = ones.ones;
    counts_[level] = 1;
    Add(twos.ones, level + 1);
    Add(twos.twos, level + 2);
  }

  /// Adds eight levels, from level `first` on, to the sums. Eight sums on eight levels are a matrix
  /// of bits. Its transpose (Hacker's Delight, 7-3) holds one byte for each sum.
  static void AddBytes(const uint64_t* planes, int first, BitSums& sums) {
    for (int column = 0; column < kByte; ++column) {
      uint64_t square = 0;
      for (int row = 0; row < kByte; ++row) {
        square |= (planes[row] >> (kByte * column) & 0xFF) << (kByte * row);
      }
      const auto exchange = [&square](int distance, uint64_t mask) {
        const uint64_t changed = (square ^ (square >> distance)) & mask;
        square ^= changed ^ (changed << distance);
      };
      exchange(7, 0x00AA00AA00AA00AA);
      exchange(14, 0x0000CCCC0000CCCC);
      exchange(28, 0x00000000F0F0F0F0);
      for (int row = 0; row < kByte; ++row) {
        const auto byte = static_cast<int64_t>(square >> (kByte * row) & 0xFF);
        sums[static_cast<size_t>(kByte * column + row)] += byte << first;
      }
    }
  }

  uint64_t words_[kLevels][kFull];
  uint8_t counts_[kLevels] = {};
  int top_ = 0;  ///< the highest level that has had a word
};

}  // namespace

BitSums SumBits(std::span<const Feature> features) {
  SumsByLevel set;
  int64_t total = 0;
  for (const Feature& feature : features) {
    assert(feature.weight < kWeightEnd);
    total += static_cast<int64_t>(feature.weight);
    for (uint64_t weight = feature.weight; weight != 0; weight &= weight - 1) {
      set.Add(feature.hash, std::countr_zero(weight));
    }
  }
  BitSums sums = set.Finish();
  for (int64_t& sum : sums) sum = 2 * sum - total;
  return sums;
}

BitSums SumBits(std::span<const uint64_t> hashes) {
  SumsByLevel set;
  set.AddAll(hashes);
  BitSums sums = set.Finish();
  for (int64_t& sum : sums) sum = 2 * sum - static_cast<int64_t>(hashes.size());
  return sums;
}

uint64_t Simhash(const BitSums& sums) {
  uint64_t simhash = 0;
  for (int bit = 0; bit < kBits; ++bit) simhash |= uint64_t{sums[bit] > 0} << bit;
  return simhash;
}

uint64_t CentredSimhash(const BitSums& sums, const std::array<int32_t, 64>& centre) {
  BitSums scaled = sums;
  const int64_t root = RootMeanSquare(scaled);
  uint64_t simhash = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    simhash |= uint64_t{kCentreUnit * scaled[bit] > root * centre[bit]} << bit;
  }
  return simhash;
}

int64_t RootMeanSquare(BitSums& sums) {
  uint64_t largest = 0;
  for (const int64_t sum : sums) largest |= static_cast<uint64_t>(std::abs(sum));
  const int shift = std::max(static_cast<int>(std::bit_width(largest)) - kSumBitsMax, 0);
  uint64_t squares = 0;
  for (int64_t& sum : sums) {
    sum /= int64_t{1} << shift;
    squares += static_cast<uint64_t>(sum * sum);
  }
  const uint64_t mean = squares / kBits;
  // The floating-point root may be off by one.
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(mean)));
  while (root * root > mean) --root;
  while ((root + 1) * (root + 1) <= mean) ++root;
  return static_cast<int64_t>(std::max<uint64_t>(root, 1));
}

}  // namespace neardup
