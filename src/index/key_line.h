// Ten postings of text keys in one cache line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "index/live_ids.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace neardup {

/// A set of places is a number with a bit for each.
struct alignas(64) KeyLine {
  static constexpr size_t kPostings = 10;
  static constexpr uint32_t kAllPlaces = (1U << kPostings) - 1;

  std::array<uint16_t, kPostings> tags;
  uint16_t used;  ///< places that are taken
  std::array<uint32_t, kPostings> ids;

  uint32_t WithTag(uint16_t tag) const;
  uint32_t Live(LiveIds live) const;
};
static_assert(sizeof(KeyLine) == 64 && offsetof(KeyLine, ids) == 24);

#if defined(__SSE2__)  // every x86-64 has it

inline uint32_t KeyLine::WithTag(uint16_t tag) const {
  const auto* const line = reinterpret_cast<const __m128i*>(this);
  const __m128i sought = _mm_set1_epi16(static_cast<int16_t>(tag));
  // The second half holds tags 8 and 9, and what is no tag.
  const __m128i first = _mm_cmpeq_epi16(_mm_load_si128(line), sought);
  const __m128i second = _mm_cmpeq_epi16(_mm_load_si128(line + 1), sought);
  const auto equal = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(first, second)));
  return equal & used;
}

inline uint32_t KeyLine::Live(LiveIds live) const {
  // There are signed comparisons only: the sign bit turned, they order unsigned numbers.
  const __m128i sign = _mm_set1_epi32(INT32_MIN);
  const __m128i begin = _mm_set1_epi32(static_cast<int32_t>(live.begin));
  const __m128i count = _mm_xor_si128(_mm_set1_epi32(static_cast<int32_t>(live.count)), sign);
  const auto four_from = [&](size_t place) {
    const auto* const at = reinterpret_cast<const __m128i*>(ids.data() + place);
    const __m128i age = _mm_sub_epi32(_mm_loadu_si128(at), begin);
    const __m128i holds = _mm_cmplt_epi32(_mm_xor_si128(age, sign), count);
    return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(holds))) << place;
  };
  return (four_from(0) | four_from(4) | four_from(6)) & used;
}

#else

inline uint32_t KeyLine::WithTag(uint16_t tag) const {
  uint32_t places = 0;
  for (size_t i = 0; i < kPostings; ++i) places |= uint32_t{tags[i] == tag} << i;
  return places & used;
}

inline uint32_t KeyLine::Live(LiveIds live) const {
  uint32_t places = 0;
  for (size_t i = 0; i < kPostings; ++i) places |= uint32_t{live.Holds(ids[i])} << i;
  return places & used;
}

#endif

}  // namespace neardup
