#include "detect/fingerprint/simhash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "detect/base/simd.h"

#define NEARDUP_LOOPS "detect/fingerprint/simhash.inc"
#include "detect/base/each_level.inc"

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
    constexpr size_t kTaken = kFull - 1;  // the seventh is what the previous round has left
    for (; words.size() >= kTaken; words = words.subspan(kTaken)) {
      assert(counts_[0] <= 1);
      uint64_t* first = words_[0];
      if (counts_[0] == 0) first[counts_[0]++] = 0;
      std::copy_n(words.begin(), kTaken, first + 1);
      Reduce(0);
    }
    for (const uint64_t word : words) Add(word, 0);
  }

  /// Ends the additions, and adds what they have come to, times `weight`.
  void AddTo(BitSums& sums, uint64_t weight) {
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
    for (int first = 0; first < used; first += kByte)
      AddBytes(planes + first, weight << first, sums);
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

  /// Adds eight levels, the first of which is worth `unit`, to the sums. Eight sums on eight levels
  /// are a matrix of bits. Its transpose (Hacker's Delight, 7-3) holds one byte for each sum.
  static void AddBytes(const uint64_t* planes, uint64_t unit, BitSums& sums) {
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
        const uint64_t byte = square >> (kByte * row) & 0xFF;
        sums[static_cast<size_t>(kByte * column + row)] += static_cast<int64_t>(byte * unit);
      }
    }
  }

  uint64_t words_[kLevels][kFull];
  uint8_t counts_[kLevels] = {};
  int top_ = 0;  ///< the highest level that has had a word
};

// AddOnes adds, to the sum of each bit, twice the weights of the hashes that have it set. So sums
// that begin with the negative weight of all hashes end as BitSums.

void AddOnesPortable(std::span<const Feature> features, BitSums& sums) {
  SumsByLevel set;
  for (const Feature& feature : features) {
    for (uint64_t weight = feature.weight; weight != 0; weight &= weight - 1) {
      set.Add(feature.hash, std::countr_zero(weight));
    }
  }
  set.AddTo(sums, 2);
}

void AddOnesPortable(std::span<const uint64_t> hashes, uint64_t weight, BitSums& sums) {
  SumsByLevel set;
  set.AddAll(hashes);
  set.AddTo(sums, 2 * weight);
}

#if NEARDUP_WIDE

/// Adds eight numbers of 32 bits to the sums from `first` on.
NEARDUP_AVX2_FUNCTION inline void AddEight(__m256i added, size_t first, BitSums& sums) {
  int64_t* const low = &sums[first];
  int64_t* const high = &sums[first + kAvx2Numbers];
  const __m256i added_low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(added));
  const __m256i added_high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(added, 1));
  Store256(low, _mm256_add_epi64(Load256(low), added_low));
  Store256(high, _mm256_add_epi64(Load256(high), added_high));
}

/// Keeps 64 sums of 32 bits in registers and adds a weight to those whose bit is set.
NEARDUP_AVX2_FUNCTION void AddOnesAvx2(std::span<const Feature> features, BitSums& sums) {
  // As many as cannot overflow 32 bits when their weights count twice.
  constexpr size_t kRow = (uint64_t{1} << 31) / kWeightEnd;
  constexpr size_t kBytes = 8;
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  while (!features.empty()) {
    const auto row = features.first(std::min(kRow, features.size()));
    features = features.subspan(row.size());
    __m256i ones[kBytes] = {};
    for (const Feature& feature : row) {
      const __m256i weight = _mm256_set1_epi32(static_cast<int32_t>(2 * feature.weight));
      for (size_t i = 0; i < kBytes; ++i) {
        const __m256i hash = _mm256_set1_epi32(static_cast<int32_t>(feature.hash >> (8 * i)));
        const __m256i set = _mm256_cmpeq_epi32(_mm256_and_si256(hash, bits), bits);
        ones[i] = _mm256_add_epi32(ones[i], _mm256_and_si256(set, weight));
      }
    }
    for (size_t i = 0; i < kBytes; ++i) AddEight(ones[i], 8 * i, sums);
  }
}

/// Counts the ones at each place of words. Each half of a register counts two words of four.
class CountsByPlace {
 public:
  NEARDUP_AVX2_FUNCTION CountsByPlace() {
    for (__m256i& counts : counts_) counts = _mm256_setzero_si256();
  }

  NEARDUP_AVX2_FUNCTION void Double() {
    for (__m256i& counts : counts_) counts = _mm256_add_epi8(counts, counts);
  }

  /// Counts four words. A half can count to 255.
  NEARDUP_AVX2_FUNCTION void Add(__m256i words) {
    const __m256i bits = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
    const __m256i two_bytes = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0101010101010101, 0));
    for (size_t i = 0; i < 4; ++i) {
      for (const size_t word : {0, 8}) {
        const __m256i from =
            _mm256_add_epi8(two_bytes, _mm256_set1_epi8(static_cast<char>(word + 2 * i)));
        const __m256i spread = _mm256_and_si256(_mm256_shuffle_epi8(words, from), bits);
        counts_[i] = _mm256_sub_epi8(counts_[i], _mm256_cmpeq_epi8(spread, bits));
      }
    }
  }

  /// Adds the counts times `weight`, which must be below 2^20, to the sums.
  NEARDUP_AVX2_FUNCTION void AddTo(BitSums& sums, uint64_t weight) const {
    const __m256i weights = _mm256_set1_epi32(static_cast<int32_t>(weight));
    for (size_t i = 0; i < 4; ++i) {
      const __m256i counts =
          _mm256_add_epi16(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(counts_[i])),
                           _mm256_cvtepu8_epi16(_mm256_extracti128_si256(counts_[i], 1)));
      const __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(counts));
      const __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(counts, 1));
      AddEight(_mm256_mullo_epi32(low, weights), 16 * i, sums);
      AddEight(_mm256_mullo_epi32(high, weights), 16 * i + 8, sums);
    }
  }

 private:
  __m256i counts_[4];  ///< of 16 places each, in both halves
};

struct WideDigits {
  __m256i ones;
  __m256i twos;
};

NEARDUP_AVX2_FUNCTION inline WideDigits AddBits(__m256i a, __m256i b, __m256i c) {
  const __m256i either = _mm256_xor_si256(a, b);
  return {_mm256_xor_si256(either, c),
          _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(either, c))};
}

/// Counts with full adders, as SumsByLevel does, but four words side by side. Only what is worth
/// eight leaves the adders and is counted place by place.
NEARDUP_AVX2_FUNCTION void AddOnesAvx2(std::span<const uint64_t> hashes, uint64_t weight,
                                       BitSums& sums) {
  constexpr size_t kBlock = 8 * kAvx2Numbers;
  constexpr size_t kRow = 15 * kBlock;  // as many as cannot overflow the counts
  while (!hashes.empty()) {
    auto row = hashes.first(std::min(kRow, hashes.size()));
    hashes = hashes.subspan(row.size());
    CountsByPlace counts;
    __m256i ones = _mm256_setzero_si256();
    __m256i twos = ones;
    __m256i fours = ones;
    while (!row.empty()) {
      uint64_t last[kBlock];
      const uint64_t* block = row.data();
      if (row.size() < kBlock) {
        std::fill(std::copy(row.begin(), row.end(), last), std::end(last), 0);
        block = last;
      }
      row = row.subspan(std::min(kBlock, row.size()));
      const auto words = [block](size_t i)
                             NEARDUP_AVX2_FUNCTION { return Load256(block + i * kAvx2Numbers); };
      const WideDigits a = AddBits(ones, words(0), words(1));
      const WideDigits b = AddBits(a.ones, words(2), words(3));
      const WideDigits c = AddBits(b.ones, words(4), words(5));
      const WideDigits d = AddBits(c.ones, words(6), words(7));
      const WideDigits left = AddBits(twos, a.twos, b.twos);
      const WideDigits right = AddBits(left.ones, c.twos, d.twos);
      const WideDigits both = AddBits(fours, left.twos, right.twos);
      ones = d.ones;
      twos = right.ones;
      fours = both.ones;
      counts.Add(both.twos);
    }
    for (const __m256i words : {fours, twos, ones}) {
      counts.Double();
      counts.Add(words);
    }
    counts.AddTo(sums, 2 * weight);
  }
}

/// Adds 16 numbers of 32 bits times `weight` to the sums from `first` on.
NEARDUP_AVX512_FUNCTION inline void AddSixteen(__m512i added, uint64_t weight, size_t first,
                                               BitSums& sums) {
  int64_t* const low = &sums[first];
  int64_t* const high = &sums[first + kAvx512Numbers];
  const __m512i weights = _mm512_set1_epi64(static_cast<int64_t>(weight));
  const __m512i added_low =
      _mm512_mullo_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(added)), weights);
  const __m512i added_high =
      _mm512_mullo_epi64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(added, 1)), weights);
  _mm512_storeu_si512(low, _mm512_add_epi64(_mm512_loadu_si512(low), added_low));
  _mm512_storeu_si512(high, _mm512_add_epi64(_mm512_loadu_si512(high), added_high));
}

/// Keeps 64 sums of 32 bits in registers and adds a weight to those whose bit is set.
NEARDUP_AVX512_FUNCTION void AddOnesAvx512(std::span<const Feature> features, BitSums& sums) {
  // As many as cannot overflow 32 bits.
  constexpr size_t kRow = (uint64_t{1} << 32) / kWeightEnd;
  while (!features.empty()) {
    const auto row = features.first(std::min(kRow, features.size()));
    features = features.subspan(row.size());
    __m512i a = _mm512_setzero_si512();
    __m512i b = _mm512_setzero_si512();
    __m512i c = _mm512_setzero_si512();
    __m512i d = _mm512_setzero_si512();
    for (const Feature& feature : row) {
      const __m512i weight = _mm512_set1_epi32(static_cast<int32_t>(feature.weight));
      a = _mm512_mask_add_epi32(a, static_cast<__mmask16>(feature.hash), a, weight);
      b = _mm512_mask_add_epi32(b, static_cast<__mmask16>(feature.hash >> 16), b, weight);
      c = _mm512_mask_add_epi32(c, static_cast<__mmask16>(feature.hash >> 32), c, weight);
      d = _mm512_mask_add_epi32(d, static_cast<__mmask16>(feature.hash >> 48), d, weight);
    }
    AddSixteen(a, 2, 0, sums);
    AddSixteen(b, 2, 16, sums);
    AddSixteen(c, 2, 32, sums);
    AddSixteen(d, 2, 48, sums);
  }
}

/// Where the bytes of eight hashes go, so that eight bytes of one place stand together.
constexpr std::array<uint8_t, 64> kByPlace = [] {
  std::array<uint8_t, 64> from{};
  for (size_t place = 0; place < 8; ++place) {
    for (size_t hash = 0; hash < 8; ++hash) {
      from[8 * place + hash] = static_cast<uint8_t>(8 * hash + place);
    }
  }
  return from;
}();

/// Counts the ones of eight hashes at a time, and keeps 64 counts of 8 bits in a register. Eight
/// bytes of one place are a matrix of bits, which one instruction transposes.
NEARDUP_AVX512_FUNCTION void AddOnesAvx512(std::span<const uint64_t> hashes, uint64_t weight,
                                           BitSums& sums) {
  constexpr size_t kRow = 31 * kAvx512Numbers;  // as many as cannot overflow 8 bits
  const __m512i by_place = _mm512_loadu_si512(kByPlace.data());
  const __m512i columns = _mm512_set1_epi64(static_cast<int64_t>(0x8040201008040201));
  while (!hashes.empty()) {
    const auto row = hashes.first(std::min(kRow, hashes.size()));
    hashes = hashes.subspan(row.size());
    __m512i ones = _mm512_setzero_si512();
    for (size_t at = 0; at < row.size(); at += kAvx512Numbers) {
      const __m512i eight = _mm512_maskz_loadu_epi64(FirstOfEight(row.size() - at), &row[at]);
      const __m512i bytes = _mm512_permutexvar_epi8(by_place, eight);
      const __m512i bits = _mm512_gf2p8affine_epi64_epi8(columns, bytes, 0);
      ones = _mm512_add_epi8(ones, _mm512_popcnt_epi8(bits));
    }
    AddSixteen(_mm512_cvtepu8_epi32(_mm512_castsi512_si128(ones)), 2 * weight, 0, sums);
    AddSixteen(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(ones, 1)), 2 * weight, 16, sums);
    AddSixteen(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(ones, 2)), 2 * weight, 32, sums);
    AddSixteen(_mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(ones, 3)), 2 * weight, 48, sums);
  }
}

#endif

/// A number as wide as the widest of the sums without signs.
uint64_t Magnitudes(const BitSums& sums) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return avx512::AllMagnitudes(sums);
  if (UsesAvx2()) return avx2::AllMagnitudes(sums);
#endif
  uint64_t bits = 0;
  for (const int64_t sum : sums) bits |= static_cast<uint64_t>(std::abs(sum));
  return bits;
}

void AddOnes(std::span<const Feature> features, BitSums& sums) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return AddOnesAvx512(features, sums);
  if (UsesAvx2()) return AddOnesAvx2(features, sums);
#endif
  AddOnesPortable(features, sums);
}

void AddOnes(std::span<const uint64_t> hashes, uint64_t weight, BitSums& sums) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return AddOnesAvx512(hashes, weight, sums);
  if (UsesAvx2()) return AddOnesAvx2(hashes, weight, sums);
#endif
  AddOnesPortable(hashes, weight, sums);
}

uint64_t WeightOf(std::span<const Feature> features) {
  uint64_t weight = 0;
  for (const Feature& feature : features) {
    assert(feature.weight < kWeightEnd);
    weight += feature.weight;
  }
  return weight;
}

/// The sums of hashes without a 1.
BitSums WithoutOnes(uint64_t weight) {
  BitSums sums;
  sums.fill(-static_cast<int64_t>(weight));
  return sums;
}

}  // namespace

BitSums SumBits(const Features& features) {
  BitSums sums = WithoutOnes(features.tokens.size() * features.weight + WeightOf(features.more));
  AddOnes(features.tokens, features.weight, sums);
  AddOnes(features.more, sums);
  return sums;
}

BitSums SumBits(std::span<const Feature> features) {
  BitSums sums = WithoutOnes(WeightOf(features));
  AddOnes(features, sums);
  return sums;
}

BitSums SumBits(std::span<const uint64_t> hashes) {
  BitSums sums = WithoutOnes(hashes.size());
  AddOnes(hashes, 1, sums);
  return sums;
}

uint64_t Simhash(const BitSums& sums) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return avx512::SignsOf(sums);
  if (UsesAvx2()) return avx2::SignsOf(sums);
#endif
  uint64_t simhash = 0;
  for (int bit = 0; bit < kBits; ++bit) simhash |= uint64_t{sums[bit] > 0} << bit;
  return simhash;
}

uint64_t CentredSimhash(const BitSums& sums, const std::array<int32_t, 64>& centre) {
  int32_t centre_bits = 0;
  for (const int32_t value : centre) centre_bits |= value;
  if (centre_bits == 0 && std::bit_width(Magnitudes(sums)) <= kSumBitsMax) return Simhash(sums);
  BitSums scaled = sums;
  const int64_t root = RootMeanSquare(scaled);
  uint64_t simhash = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    simhash |= uint64_t{kCentreUnit * scaled[bit] > root * centre[bit]} << bit;
  }
  return simhash;
}

int64_t RootMeanSquare(BitSums& sums) {
  const int shift = std::max(static_cast<int>(std::bit_width(Magnitudes(sums))) - kSumBitsMax, 0);
  if (shift > 0) {
    for (int64_t& sum : sums) sum /= int64_t{1} << shift;
  }
  uint64_t squares = 0;
  for (const int64_t sum : sums) squares += static_cast<uint64_t>(sum * sum);
  const uint64_t mean = squares / kBits;
  // The floating-point root may be off by one.
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(mean)));
  while (root * root > mean) --root;
  while ((root + 1) * (root + 1) <= mean) ++root;
  return static_cast<int64_t>(std::max<uint64_t>(root, 1));
}

}  // namespace neardup
