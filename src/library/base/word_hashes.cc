#include "base/word_hashes.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/wide.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace neardup {

namespace {

void HashWordsPortable(const char* text, uint64_t begin, std::span<const uint64_t> ends,
                       uint64_t seed, uint64_t* hashes) {
  for (const uint64_t end : ends) {
    *hashes++ = XXH3_64bits_withSeed(text + begin, end - begin, seed);
    begin = end + 1;
  }
}

#if NEARDUP_WIDE

/// The longest word that hashes side by side can take.
constexpr uint64_t kShortMax = 16;

// XXH3 flips bits of short words by these, and multiplies by these.

uint64_t FlipUpTo3(uint64_t seed) {
  return (XXH_readLE32(XXH3_kSecret) ^ XXH_readLE32(XXH3_kSecret + 4)) + seed;
}
uint64_t FlipUpTo8(uint64_t seed) {
  seed ^= uint64_t{XXH_swap32(static_cast<uint32_t>(seed))} << 32;
  return (XXH_readLE64(XXH3_kSecret + 8) ^ XXH_readLE64(XXH3_kSecret + 16)) - seed;
}
uint64_t FlipLow(uint64_t seed) {
  return (XXH_readLE64(XXH3_kSecret + 24) ^ XXH_readLE64(XXH3_kSecret + 32)) + seed;
}
uint64_t FlipHigh(uint64_t seed) {
  return (XXH_readLE64(XXH3_kSecret + 40) ^ XXH_readLE64(XXH3_kSecret + 48)) - seed;
}
constexpr uint64_t kFactorUpTo8 = 0x9FB21C651E98DF25;
constexpr uint64_t kFactorUpTo16 = 0x165667919E3779F9;

// With AVX2, four hashes side by side.

NEARDUP_AVX2_FUNCTION inline __m256i EachOfFour(uint64_t number) {
  return _mm256_set1_epi64x(static_cast<int64_t>(number));
}

NEARDUP_AVX2_FUNCTION inline __m256i Or(__m256i a, __m256i b) { return _mm256_or_si256(a, b); }
NEARDUP_AVX2_FUNCTION inline __m256i Xor(__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }
NEARDUP_AVX2_FUNCTION inline __m256i Sum(__m256i a, __m256i b) { return _mm256_add_epi64(a, b); }

template <int kBits>
NEARDUP_AVX2_FUNCTION inline __m256i ShiftedLeft(__m256i numbers) {
  return _mm256_slli_epi64(numbers, kBits);
}
template <int kBits>
NEARDUP_AVX2_FUNCTION inline __m256i ShiftedRight(__m256i numbers) {
  return _mm256_srli_epi64(numbers, kBits);
}
template <int kBits>
NEARDUP_AVX2_FUNCTION inline __m256i RotatedLeft(__m256i numbers) {
  return Or(ShiftedLeft<kBits>(numbers), ShiftedRight<64 - kBits>(numbers));
}

NEARDUP_AVX2_FUNCTION inline __m256i LowByte(__m256i numbers) {
  return _mm256_and_si256(numbers, EachOfFour(0xFF));
}

NEARDUP_AVX2_FUNCTION inline __m256i LowerHalf(__m256i numbers) {
  return _mm256_and_si256(numbers, EachOfFour(0xFFFFFFFF));
}

/// numbers >> 8 x bytes; 0 if that is 64 or more.
NEARDUP_AVX2_FUNCTION inline __m256i WithoutBytes(__m256i numbers, __m256i bytes) {
  return _mm256_srlv_epi64(numbers, ShiftedLeft<3>(bytes));
}

/// What XXH3 of words of 1 to 3 bytes begins with. `low`: their first eight bytes.
NEARDUP_AVX2_FUNCTION inline __m256i BeginUpTo3(__m256i low, __m256i size, uint64_t seed) {
  const __m256i first = LowByte(low);
  const __m256i middle = LowByte(WithoutBytes(low, ShiftedRight<1>(size)));
  const __m256i last = LowByte(WithoutBytes(low, _mm256_sub_epi64(size, EachOfFour(1))));
  __m256i hash = Or(ShiftedLeft<16>(first), ShiftedLeft<24>(middle));
  hash = Or(hash, Or(last, ShiftedLeft<8>(size)));
  return WideFold<33>(Xor(hash, EachOfFour(FlipUpTo3(seed))));
}

/// What XXH3 of words of 4 to 8 bytes begins with.
NEARDUP_AVX2_FUNCTION inline __m256i BeginUpTo8(__m256i low, __m256i size, uint64_t seed) {
  const __m256i last = LowerHalf(WithoutBytes(low, _mm256_sub_epi64(size, EachOfFour(4))));
  const __m256i hash = Xor(Sum(last, ShiftedLeft<32>(low)), EachOfFour(FlipUpTo8(seed)));
  return Xor(hash, Xor(RotatedLeft<49>(hash), RotatedLeft<24>(hash)));
}

/// The upper half of the 128-bit products, xor the lower half.
NEARDUP_AVX2_FUNCTION inline __m256i FoldedProduct(__m256i a, __m256i b) {
  const __m256i a_upper = ShiftedRight<32>(a);
  const __m256i b_upper = ShiftedRight<32>(b);
  const __m256i low = _mm256_mul_epu32(a, b);
  const __m256i cross = _mm256_mul_epu32(a_upper, b);
  const __m256i other = _mm256_mul_epu32(a, b_upper);
  const __m256i high = _mm256_mul_epu32(a_upper, b_upper);
  const __m256i middle = Sum(ShiftedRight<32>(low), Sum(LowerHalf(cross), LowerHalf(other)));
  const __m256i upper_half = Sum(Sum(high, ShiftedRight<32>(middle)),
                                 Sum(ShiftedRight<32>(cross), ShiftedRight<32>(other)));
  return Xor(upper_half, Or(LowerHalf(low), ShiftedLeft<32>(middle)));
}

/// What XXH3 of words of 9 to 16 bytes has before its last product. `high`: their last eight bytes.
NEARDUP_AVX2_FUNCTION inline __m256i BeginUpTo16(__m256i low, __m256i high, __m256i size,
                                                 uint64_t seed) {
  const __m256i reversed = _mm256_set_epi64x(0x08090A0B0C0D0E0F, 0x0001020304050607,
                                             0x08090A0B0C0D0E0F, 0x0001020304050607);
  low = Xor(low, EachOfFour(FlipLow(seed)));
  high = Xor(high, EachOfFour(FlipHigh(seed)));
  const __m256i sum = Sum(Sum(size, _mm256_shuffle_epi8(low, reversed)), high);
  return WideFold<37>(Sum(sum, FoldedProduct(low, high)));
}

// With AVX-512, eight hashes side by side.

NEARDUP_AVX512_FUNCTION inline __m512i EachOfEight(uint64_t number) {
  return _mm512_set1_epi64(static_cast<int64_t>(number));
}

template <int kBits>
NEARDUP_AVX512_FUNCTION inline __m512i ShiftedLeft(__m512i numbers) {
  return _mm512_slli_epi64(numbers, kBits);
}

NEARDUP_AVX512_FUNCTION inline __m512i LowByte(__m512i numbers) {
  return _mm512_and_si512(numbers, EachOfEight(0xFF));
}

/// numbers >> 8 x bytes; 0 if that is 64 or more.
NEARDUP_AVX512_FUNCTION inline __m512i WithoutBytes(__m512i numbers, __m512i bytes) {
  return _mm512_srlv_epi64(numbers, ShiftedLeft<3>(bytes));
}

/// XXH3 of words of 1 to 3 bytes. `low`: their first eight bytes.
NEARDUP_AVX512_FUNCTION inline __m512i HashUpTo3(__m512i low, __m512i size, uint64_t seed) {
  const __m512i first = LowByte(low);
  const __m512i middle = LowByte(WithoutBytes(low, _mm512_srli_epi64(size, 1)));
  const __m512i last = LowByte(WithoutBytes(low, _mm512_sub_epi64(size, EachOfEight(1))));
  __m512i hash = _mm512_or_si512(ShiftedLeft<16>(first), ShiftedLeft<24>(middle));
  hash = _mm512_or_si512(hash, _mm512_or_si512(last, ShiftedLeft<8>(size)));
  hash = WideFold<33>(_mm512_xor_si512(hash, EachOfEight(FlipUpTo3(seed))));
  hash = WideFold<29>(WideTimes(hash, XXH_PRIME64_2));
  return WideFold<32>(WideTimes(hash, XXH_PRIME64_3));
}

/// XXH3 of words of 4 to 8 bytes.
NEARDUP_AVX512_FUNCTION inline __m512i HashUpTo8(__m512i low, __m512i size, uint64_t seed) {
  const __m512i last = _mm512_and_si512(WithoutBytes(low, _mm512_sub_epi64(size, EachOfEight(4))),
                                        EachOfEight(0xFFFFFFFF));
  __m512i hash =
      _mm512_xor_si512(_mm512_add_epi64(last, ShiftedLeft<32>(low)), EachOfEight(FlipUpTo8(seed)));
  hash = _mm512_xor_si512(hash,
                          _mm512_xor_si512(_mm512_rol_epi64(hash, 49), _mm512_rol_epi64(hash, 24)));
  hash = WideTimes(hash, kFactorUpTo8);
  hash = _mm512_xor_si512(hash, _mm512_add_epi64(_mm512_srli_epi64(hash, 35), size));
  return WideFold<28>(WideTimes(hash, kFactorUpTo8));
}

/// The upper half of the 128-bit products, xor the lower half.
NEARDUP_AVX512_FUNCTION inline __m512i FoldedProduct(__m512i a, __m512i b) {
  const __m512i lower = EachOfEight(0xFFFFFFFF);
  const __m512i a_upper = _mm512_srli_epi64(a, 32);
  const __m512i b_upper = _mm512_srli_epi64(b, 32);
  const __m512i low = _mm512_mul_epu32(a, b);
  const __m512i cross = _mm512_mul_epu32(a_upper, b);
  const __m512i other = _mm512_mul_epu32(a, b_upper);
  const __m512i high = _mm512_mul_epu32(a_upper, b_upper);
  const __m512i middle = _mm512_add_epi64(
      _mm512_srli_epi64(low, 32),
      _mm512_add_epi64(_mm512_and_si512(cross, lower), _mm512_and_si512(other, lower)));
  const __m512i upper_half = _mm512_add_epi64(
      _mm512_add_epi64(high, _mm512_srli_epi64(middle, 32)),
      _mm512_add_epi64(_mm512_srli_epi64(cross, 32), _mm512_srli_epi64(other, 32)));
  const __m512i lower_half = _mm512_or_si512(_mm512_and_si512(low, lower), ShiftedLeft<32>(middle));
  return _mm512_xor_si512(upper_half, lower_half);
}

/// XXH3 of words of 9 to 16 bytes. `high`: their last eight bytes.
NEARDUP_AVX512_FUNCTION inline __m512i HashUpTo16(__m512i low, __m512i high, __m512i size,
                                                  uint64_t seed) {
  const __m512i reversed = _mm512_set4_epi64(0x08090A0B0C0D0E0F, 0x0001020304050607,
                                             0x08090A0B0C0D0E0F, 0x0001020304050607);
  low = _mm512_xor_si512(low, EachOfEight(FlipLow(seed)));
  high = _mm512_xor_si512(high, EachOfEight(FlipHigh(seed)));
  __m512i hash = _mm512_add_epi64(size, _mm512_shuffle_epi8(low, reversed));
  hash = _mm512_add_epi64(hash, _mm512_add_epi64(high, FoldedProduct(low, high)));
  return WideFold<32>(WideTimes(WideFold<37>(hash), kFactorUpTo16));
}

uint64_t Load(const char* bytes) {
  uint64_t loaded = 0;
  std::memcpy(&loaded, bytes, sizeof loaded);
  return loaded;
}

/// What the hashes of a row of words are made from. It is collected before the row is hashed,
/// because gathering it with one instruction takes longer (Intel's mitigation of "gather data
/// sampling").
struct Row {
  static constexpr size_t kMax = 64;
  static constexpr size_t kBeyond = 3;  ///< read, and ignored, after the last word

  uint64_t sizes[kMax + kBeyond];
  uint64_t lows[kMax + kBeyond];   ///< the first eight bytes of each word
  uint64_t highs[kMax + kBeyond];  ///< its last eight bytes; arbitrary if there are fewer
};

// These hash the words of up to 16 bytes. What they store for longer words has no meaning;
// HashWordsInRows hashes those again.

NEARDUP_AVX2_FUNCTION inline bool IsAny(__m256i all_or_none) {
  return _mm256_testz_si256(all_or_none, all_or_none) == 0;
}

NEARDUP_AVX2_FUNCTION inline __m256i Choose(__m256i condition, __m256i yes, __m256i no) {
  return _mm256_blendv_epi8(no, yes, condition);
}

/// Sizes up to 3 and up to 8 take the same steps with different numbers, and few words are longer.
/// A branch for each size would often be foreseen wrongly. Han characters all have a size of 3.
NEARDUP_AVX2_FUNCTION void HashRowAvx2(const Row& row, size_t count, uint64_t seed,
                                       uint64_t* hashes) {
  for (size_t at = 0; at < count; at += kAvx2Lanes) {
    const __m256i size = Load256(row.sizes + at);
    const __m256i low = Load256(row.lows + at);
    const __m256i above3 = _mm256_cmpgt_epi64(size, EachOfFour(3));
    const __m256i above8 = _mm256_cmpgt_epi64(size, EachOfFour(8));
    __m256i hash = BeginUpTo3(low, size, seed);
    if (!IsAny(above3)) {
      hash = WideFold<29>(WideTimes(hash, XXH_PRIME64_2));
      hash = WideFold<32>(WideTimes(hash, XXH_PRIME64_3));
    } else {
      hash = Choose(above3, BeginUpTo8(low, size, seed), hash);
      hash = WideTimes(hash, Choose(above3, EachOfFour(kFactorUpTo8), EachOfFour(XXH_PRIME64_2)));
      const __m256i shift = Choose(above3, EachOfFour(35), EachOfFour(29));
      hash = Xor(hash, Sum(_mm256_srlv_epi64(hash, shift), _mm256_and_si256(size, above3)));
      __m256i factor = Choose(above3, EachOfFour(kFactorUpTo8), EachOfFour(XXH_PRIME64_3));
      __m256i last_shift = Choose(above3, EachOfFour(28), EachOfFour(32));
      if (IsAny(above8)) {
        const __m256i high = Load256(row.highs + at);
        hash = Choose(above8, BeginUpTo16(low, high, size, seed), hash);
        factor = Choose(above8, EachOfFour(kFactorUpTo16), factor);
        last_shift = Choose(above8, EachOfFour(32), last_shift);
      }
      hash = WideTimes(hash, factor);
      hash = Xor(hash, _mm256_srlv_epi64(hash, last_shift));
    }
    if (count - at >= kAvx2Lanes) {
      Store256(hashes + at, hash);
    } else {
      uint64_t last[kAvx2Lanes];
      Store256(last, hash);
      std::copy_n(last, count - at, hashes + at);
    }
  }
}

NEARDUP_AVX512_FUNCTION void HashRowAvx512(const Row& row, size_t count, uint64_t seed,
                                           uint64_t* hashes) {
  for (size_t at = 0; at < count; at += kAvx512Lanes) {
    const __mmask8 used = FirstOfEight(count - at);
    const __m512i size = _mm512_maskz_loadu_epi64(used, row.sizes + at);
    const __m512i low = _mm512_maskz_loadu_epi64(used, row.lows + at);
    const __mmask8 above3 = _mm512_cmpgt_epu64_mask(size, EachOfEight(3));
    const __mmask8 above8 = _mm512_cmpgt_epu64_mask(size, EachOfEight(8));
    __m512i hash = _mm512_setzero_si512();
    if ((used & ~above3) != 0) hash = HashUpTo3(low, size, seed);
    if ((above3 & ~above8) != 0) {
      hash = _mm512_mask_mov_epi64(hash, above3, HashUpTo8(low, size, seed));
    }
    if (above8 != 0) {
      const __m512i high = _mm512_maskz_loadu_epi64(used, row.highs + at);
      hash = _mm512_mask_mov_epi64(hash, above8, HashUpTo16(low, high, size, seed));
    }
    _mm512_mask_storeu_epi64(hashes + at, used, hash);
  }
}

using HashRow = void(const Row& row, size_t count, uint64_t seed, uint64_t* hashes);

void HashWordsInRows(HashRow& hash_row, const char* text, uint64_t begin,
                     std::span<const uint64_t> ends, uint64_t seed, uint64_t* hashes) {
  Row row;
  while (!ends.empty()) {
    const size_t count = std::min(ends.size(), Row::kMax);
    uint64_t long_words = 0;
    const uint64_t row_begin = begin;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t size = ends[i] - begin;
      row.sizes[i] = size;
      row.lows[i] = Load(text + begin);
      row.highs[i] = Load(text + begin + std::max<uint64_t>(size, 8) - 8);
      long_words |= uint64_t{size > kShortMax} << i;
      begin = ends[i] + 1;
    }
    std::fill_n(row.sizes + count, Row::kBeyond, 0);
    hash_row(row, count, seed, hashes);
    for (; long_words != 0; long_words &= long_words - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(long_words));
      const uint64_t word = i == 0 ? row_begin : ends[i - 1] + 1;
      hashes[i] = XXH3_64bits_withSeed(text + word, ends[i] - word, seed);
    }
    ends = ends.subspan(count);
    hashes += count;
  }
}

#endif

}  // namespace

void HashWords(const char* text, uint64_t begin, std::span<const uint64_t> ends, uint64_t seed,
               uint64_t* hashes) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return HashWordsInRows(HashRowAvx512, text, begin, ends, seed, hashes);
  if (UsesAvx2()) return HashWordsInRows(HashRowAvx2, text, begin, ends, seed, hashes);
#endif
  HashWordsPortable(text, begin, ends, seed, hashes);
}

}  // namespace neardup
