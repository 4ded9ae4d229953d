#include "index/near_tags.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace neardup {
namespace {

uint64_t NearTagsPortable(const uint16_t* tags, size_t count, uint16_t sought, int bits) {
  uint64_t mask = 0;
  for (size_t i = 0; i < count; ++i) {
    mask |= uint64_t{NearTag(tags[i], sought, bits)} << i;
  }
  return mask;
}

#if defined(__x86_64__)

/// All ones where 16 tags are near.
__attribute__((target("avx2"))) inline __m256i Near16(const uint16_t* tags, __m256i sought,
                                                      int bits) {
  __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tags));
  x = _mm256_xor_si256(x, sought);
  for (int i = 0; i < bits; ++i) {
    x = _mm256_and_si256(x, _mm256_add_epi16(x, _mm256_set1_epi16(-1)));
  }
  return _mm256_cmpeq_epi16(x, _mm256_setzero_si256());
}

__attribute__((target("avx2"))) uint64_t NearTagsAvx2(const uint16_t* tags, size_t count,
                                                      uint16_t sought, int bits) {
  const __m256i wanted = _mm256_set1_epi16(static_cast<int16_t>(sought));
  uint64_t mask = 0;
  for (size_t at = 0; at < count; at += 32) {
    // Packing works within halves of 128 bits; the permutation puts them in order again.
    const __m256i packed =
        _mm256_packs_epi16(Near16(tags + at, wanted, bits), Near16(tags + at + 16, wanted, bits));
    const __m256i ordered = _mm256_permute4x64_epi64(packed, 0b11'01'10'00);
    mask |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(ordered))} << at;
  }
  return count >= kTagsPerMask ? mask : mask & ((uint64_t{1} << count) - 1);
}

__attribute__((target("avx512bw,avx512f"))) uint64_t NearTagsAvx512(const uint16_t* tags,
                                                                    size_t count, uint16_t sought,
                                                                    int bits) {
  const __m512i wanted = _mm512_set1_epi16(static_cast<int16_t>(sought));
  const __m512i ones = _mm512_set1_epi16(-1);
  uint64_t mask = 0;
  for (size_t at = 0; at < count; at += 32) {
    const size_t left = count - at;
    const __mmask32 valid = left >= 32 ? ~__mmask32{0} : (__mmask32{1} << left) - 1;
    __m512i x = _mm512_xor_si512(_mm512_maskz_loadu_epi16(valid, tags + at), wanted);
    for (int i = 0; i < bits; ++i) x = _mm512_and_si512(x, _mm512_add_epi16(x, ones));
    mask |= uint64_t{_mm512_mask_testn_epi16_mask(valid, x, x)} << at;
  }
  return mask;
}

const std::array<TagsFilter, 3>& Filters() {
  static const std::array<TagsFilter, 3> filters = {
      {{"avx512", __builtin_cpu_supports("avx512bw") != 0, NearTagsAvx512},
       {"avx2", __builtin_cpu_supports("avx2") != 0, NearTagsAvx2},
       {"portable", true, NearTagsPortable}}};
  return filters;
}

#else

const std::array<TagsFilter, 1>& Filters() {
  static const std::array<TagsFilter, 1> filters = {{{"portable", true, NearTagsPortable}}};
  return filters;
}

#endif

const auto kWidest = std::find_if(Filters().begin(), Filters().end(), [](const TagsFilter& filter) {
                       return filter.runs_here;
                     }) -> near_tags;

}  // namespace

std::span<const TagsFilter> TagsFilters() { return Filters(); }

uint64_t NearTags(const uint16_t* tags, size_t count, uint16_t sought, int bits) {
  return kWidest(tags, count, sought, bits);
}

}  // namespace neardup
