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

/// The longest word that the eight hashes side by side can take.
constexpr uint64_t kShortMax = 16;

NEARDUP_WIDE_FUNCTION inline __m512i Each(uint64_t number) {
  return _mm512_set1_epi64(static_cast<int64_t>(number));
}

template <int kBits>
NEARDUP_WIDE_FUNCTION inline __m512i ShiftedLeft(__m512i numbers) {
  return _mm512_slli_epi64(numbers, kBits);
}

NEARDUP_WIDE_FUNCTION inline __m512i LowByte(__m512i numbers) {
  return _mm512_and_si512(numbers, Each(0xFF));
}

/// numbers >> 8 x bytes; 0 if that is 64 or more.
NEARDUP_WIDE_FUNCTION inline __m512i WithoutBytes(__m512i numbers, __m512i bytes) {
  return _mm512_srlv_epi64(numbers, ShiftedLeft<3>(bytes));
}

/// XXH3 of words of 1 to 3 bytes. `low`: their first eight bytes.
NEARDUP_WIDE_FUNCTION inline __m512i HashUpTo3(__m512i low, __m512i size, uint64_t seed) {
  const uint64_t flip = (XXH_readLE32(XXH3_kSecret) ^ XXH_readLE32(XXH3_kSecret + 4)) + seed;
  const __m512i first = LowByte(low);
  const __m512i middle = LowByte(WithoutBytes(low, _mm512_srli_epi64(size, 1)));
  const __m512i last = LowByte(WithoutBytes(low, _mm512_sub_epi64(size, Each(1))));
  __m512i hash = _mm512_or_si512(ShiftedLeft<16>(first), ShiftedLeft<24>(middle));
  hash = _mm512_or_si512(hash, _mm512_or_si512(last, ShiftedLeft<8>(size)));
  hash = WideFold<33>(_mm512_xor_si512(hash, Each(flip)));
  hash = WideFold<29>(WideTimes(hash, XXH_PRIME64_2));
  return WideFold<32>(WideTimes(hash, XXH_PRIME64_3));
}

/// XXH3 of words of 4 to 8 bytes.
NEARDUP_WIDE_FUNCTION inline __m512i HashUpTo8(__m512i low, __m512i size, uint64_t seed) {
  constexpr uint64_t kFactor = 0x9FB21C651E98DF25;
  seed ^= uint64_t{XXH_swap32(static_cast<uint32_t>(seed))} << 32;
  const uint64_t flip = (XXH_readLE64(XXH3_kSecret + 8) ^ XXH_readLE64(XXH3_kSecret + 16)) - seed;
  const __m512i last =
      _mm512_and_si512(WithoutBytes(low, _mm512_sub_epi64(size, Each(4))), Each(0xFFFFFFFF));
  __m512i hash = _mm512_xor_si512(_mm512_add_epi64(last, ShiftedLeft<32>(low)), Each(flip));
  hash = _mm512_xor_si512(hash,
                          _mm512_xor_si512(_mm512_rol_epi64(hash, 49), _mm512_rol_epi64(hash, 24)));
  hash = WideTimes(hash, kFactor);
  hash = _mm512_xor_si512(hash, _mm512_add_epi64(_mm512_srli_epi64(hash, 35), size));
  return WideFold<28>(WideTimes(hash, kFactor));
}

/// The upper half of the 128-bit products, xor the lower half.
NEARDUP_WIDE_FUNCTION inline __m512i FoldedProduct(__m512i a, __m512i b) {
  const __m512i lower = Each(0xFFFFFFFF);
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
NEARDUP_WIDE_FUNCTION inline __m512i HashUpTo16(__m512i low, __m512i high, __m512i size,
                                                uint64_t seed) {
  const uint64_t flip_low =
      (XXH_readLE64(XXH3_kSecret + 24) ^ XXH_readLE64(XXH3_kSecret + 32)) + seed;
  const uint64_t flip_high =
      (XXH_readLE64(XXH3_kSecret + 40) ^ XXH_readLE64(XXH3_kSecret + 48)) - seed;
  const __m512i reversed = _mm512_set4_epi64(0x08090A0B0C0D0E0F, 0x0001020304050607,
                                             0x08090A0B0C0D0E0F, 0x0001020304050607);
  low = _mm512_xor_si512(low, Each(flip_low));
  high = _mm512_xor_si512(high, Each(flip_high));
  __m512i hash = _mm512_add_epi64(size, _mm512_shuffle_epi8(low, reversed));
  hash = _mm512_add_epi64(hash, _mm512_add_epi64(high, FoldedProduct(low, high)));
  return WideFold<32>(WideTimes(WideFold<37>(hash), 0x165667919E3779F9));
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

  uint64_t sizes[kMax];
  uint64_t lows[kMax];   ///< the first eight bytes of each word
  uint64_t highs[kMax];  ///< its last eight bytes; arbitrary if there are fewer
};

/// Hashes the words of up to 16 bytes; the hashes of others are arbitrary.
NEARDUP_WIDE_FUNCTION void HashRow(const Row& row, size_t count, uint64_t seed, uint64_t* hashes) {
  for (size_t at = 0; at < count; at += kWideNumbers) {
    const __mmask8 used = FirstOfEight(count - at);
    const __m512i size = _mm512_maskz_loadu_epi64(used, row.sizes + at);
    const __m512i low = _mm512_maskz_loadu_epi64(used, row.lows + at);
    const __mmask8 above3 = _mm512_cmpgt_epu64_mask(size, Each(3));
    const __mmask8 above8 = _mm512_cmpgt_epu64_mask(size, Each(8));
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

void HashWordsWide(const char* text, uint64_t begin, std::span<const uint64_t> ends, uint64_t seed,
                   uint64_t* hashes) {
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
    HashRow(row, count, seed, hashes);
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
  if (UsesWide()) return HashWordsWide(text, begin, ends, seed, hashes);
#endif
  HashWordsPortable(text, begin, ends, seed, hashes);
}

}  // namespace neardup
