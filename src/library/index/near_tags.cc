#include "index/near_tags.h"

#include <algorithm>

#include "base/wide.h"

namespace neardup {

namespace {

NearTags FindPortable(const uint16_t* tags, size_t begin, size_t end, uint16_t sought, int bits) {
  for (; begin < end; begin += kTagsPerMask) {
    uint64_t mask = 0;
    for (size_t i = 0; i < std::min(kTagsPerMask, end - begin); ++i) {
      mask |= uint64_t{NearTag(tags[begin + i], sought, bits)} << i;
    }
    if (mask != 0) return {begin, mask};
  }
  return {begin, 0};
}

#if NEARDUP_WIDE

/// A mask of the lowest `count` bits; all bits if `count` is 64 or more.
constexpr uint64_t LowBits(size_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

/// Compares 16 tags: all bits of an element are set if its tag is near.
NEARDUP_AVX2_FUNCTION inline __m256i Near16(const uint16_t* tags, __m256i sought, int bits) {
  __m256i x = Load256(tags);
  x = _mm256_xor_si256(x, sought);
  for (int i = 0; i < bits; ++i) {
    x = _mm256_and_si256(x, _mm256_add_epi16(x, _mm256_set1_epi16(-1)));
  }
  return _mm256_cmpeq_epi16(x, _mm256_setzero_si256());
}

/// Compares 32 tags: bit i is set if tag i is near.
NEARDUP_AVX2_FUNCTION inline uint64_t Near32(const uint16_t* tags, __m256i sought, int bits) {
  // Packing works within halves of 128 bits; the permutation restores the order.
  const __m256i packed =
      _mm256_packs_epi16(Near16(tags, sought, bits), Near16(tags + 16, sought, bits));
  const __m256i ordered = _mm256_permute4x64_epi64(packed, 0b11'01'10'00);
  return static_cast<uint32_t>(_mm256_movemask_epi8(ordered));
}

NEARDUP_AVX2_FUNCTION NearTags FindAvx2(const uint16_t* tags, size_t begin, size_t end,
                                        uint16_t sought, int bits) {
  const __m256i wanted = _mm256_set1_epi16(static_cast<int16_t>(sought));
  for (; begin < end; begin += kTagsPerMask) {
    uint64_t mask = Near32(tags + begin, wanted, bits);
    if (end - begin > 32) mask |= Near32(tags + begin + 32, wanted, bits) << 32;
    mask &= LowBits(end - begin);
    if (mask != 0) return {begin, mask};
  }
  return {begin, 0};
}

NEARDUP_AVX512_FUNCTION NearTags FindAvx512(const uint16_t* tags, size_t begin, size_t end,
                                            uint16_t sought, int bits) {
  const __m512i wanted = _mm512_set1_epi16(static_cast<int16_t>(sought));
  const __m512i ones = _mm512_set1_epi16(-1);
  for (; begin < end; begin += kTagsPerMask) {
    const uint64_t valid = LowBits(end - begin);
    uint64_t mask = 0;
    for (const int half : {0, 32}) {
      const auto valid_here = static_cast<__mmask32>(valid >> half);
      __m512i x = _mm512_maskz_loadu_epi16(valid_here, tags + begin + half);
      x = _mm512_xor_si512(x, wanted);
      for (int i = 0; i < bits; ++i) x = _mm512_and_si512(x, _mm512_add_epi16(x, ones));
      mask |= uint64_t{_mm512_mask_testn_epi16_mask(valid_here, x, x)} << half;
    }
    if (mask != 0) return {begin, mask};
  }
  return {begin, 0};
}

#endif

}  // namespace

NearTags FindNearTags(const uint16_t* tags, size_t begin, size_t end, uint16_t sought, int bits) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return FindAvx512(tags, begin, end, sought, bits);
  if (UsesAvx2()) return FindAvx2(tags, begin, end, sought, bits);
#endif
  return FindPortable(tags, begin, end, sought, bits);
}

}  // namespace neardup
