// Finds, among many 16-bit tags, those within a few bits of one tag.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace neardup {

inline constexpr size_t kTagsPerMask = 64;
/// FindNearTags may read this many tags after the last one; they must be readable, and are ignored.
inline constexpr size_t kTagsReadBeyond = 31;

/// The near tags in a row of up to kTagsPerMask tags.
struct NearTags {
  size_t begin = 0;   ///< where the row begins
  uint64_t mask = 0;  ///< bit i is set where tag begin + i is near
};

/// Returns the first row of kTagsPerMask tags, from `begin` on, with a tag that differs from
/// `sought` in at most `bits` (0 to 3) bits. Tags from `end` on do not count. If there is no such
/// row, returns an empty one that begins at `end` or later.
NearTags FindNearTags(const uint16_t* tags, size_t begin, size_t end, uint16_t sought, int bits);

/// Whether one tag is near. A number has at most n bits set if clearing its lowest set bit n times
/// leaves 0.
constexpr bool NearTag(uint16_t tag, uint16_t sought, int bits) {
  uint32_t x = tag ^ uint32_t { sought };
  for (int i = 0; i < bits; ++i) x &= x - 1;
  return x == 0;
}

/// Tags at the beginning of a bucket's cache line.
inline constexpr size_t kFirstTags = 22;

/// Finds the near ones among the kFirstTags tags at the beginning of a cache line: bit i is set if
/// tag i is near. Inlined, because calling wider instructions does not pay for so few tags.
inline uint32_t NearFirstTags(const uint16_t* tags, uint16_t sought, int bits) {
#if defined(__SSE2__)  // every x86-64 processor has it
  const __m128i wanted = _mm_set1_epi16(static_cast<int16_t>(sought));
  const __m128i ones = _mm_set1_epi16(-1);
  const auto near_eight = [&](size_t at) {
    __m128i x = _mm_load_si128(reinterpret_cast<const __m128i*>(tags + at));
    x = _mm_xor_si128(x, wanted);
    for (int i = 0; i < bits; ++i) x = _mm_and_si128(x, _mm_add_epi16(x, ones));
    return _mm_cmpeq_epi16(x, _mm_setzero_si128());
  };
  const __m128i first = _mm_packs_epi16(near_eight(0), near_eight(8));
  const __m128i last = _mm_packs_epi16(near_eight(16), _mm_setzero_si128());
  const uint32_t mask = static_cast<uint32_t>(_mm_movemask_epi8(first)) |
                        static_cast<uint32_t>(_mm_movemask_epi8(last)) << 16;
  return mask & ((1U << kFirstTags) - 1);
#else
  uint32_t mask = 0;
  for (size_t i = 0; i < kFirstTags; ++i) mask |= uint32_t{NearTag(tags[i], sought, bits)} << i;
  return mask;
#endif
}

}  // namespace neardup
