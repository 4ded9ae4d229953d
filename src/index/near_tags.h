// Which of many 16-bit tags are near one.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <span>

namespace neardup {

inline constexpr size_t kTagsPerMask = 64;
/// So many tags behind the last are read, and left out.
inline constexpr size_t kTagsReadBeyond = 31;

/// Tags that are near, of up to kTagsPerMask in a row.
struct NearTags {
  size_t begin = 0;   ///< of the row
  uint64_t mask = 0;  ///< bit i is set where tag begin + i is near
};

/// The first row of kTagsPerMask tags from `begin` on with one that differs from `sought` in at
/// most `bits` (0 to 3) bits, of the tags up to `end`; without one, a row that begins at `end` or
/// later. Takes the widest instructions this processor has.
NearTags FindNearTags(const uint16_t* tags, size_t begin, size_t end, uint16_t sought, int bits);

/// Whether one tag is near: a number has at most n bits set when clearing its lowest set bit n
/// times leaves 0.
constexpr bool NearTag(uint16_t tag, uint16_t sought, int bits) {
  uint32_t x = tag ^ uint32_t { sought };
  for (int i = 0; i < bits; ++i) x &= x - 1;
  return x == 0;
}

inline constexpr size_t kFirstTags = 22;

/// Bit i is set for the near ones among the kFirstTags tags of a cache line, which they begin.
/// Inlined: for so few a call to wider instructions does not pay.
inline uint32_t NearFirstTags(const uint16_t* tags, uint16_t sought, int bits) {
#if defined(__SSE2__)  // every x86-64 has it
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

/// One way to do what FindNearTags does.
struct TagsFilter {
  const char* name = "";
  bool runs_here = false;
  NearTags (*find)(const uint16_t* tags, size_t begin, size_t end, uint16_t sought,
                   int bits) = nullptr;
};

/// Widest instructions first; the last one runs on any processor.
std::span<const TagsFilter> TagsFilters();

}  // namespace neardup
