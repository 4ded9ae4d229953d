// Which of many 16-bit tags are near one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace neardup {

inline constexpr size_t kTagsPerMask = 64;
/// So many tags behind the last are read, and left out.
inline constexpr size_t kTagsReadBeyond = 31;

/// Bit i is set when tags[i] and `sought` differ in at most `bits` (0 to 3) bits, for i < count;
/// count is at most 64. Takes the widest instructions this processor has.
uint64_t NearTags(const uint16_t* tags, size_t count, uint16_t sought, int bits);

/// The same for one tag: a number has at most n bits set when clearing its lowest set bit n times
/// leaves 0.
constexpr bool NearTag(uint16_t tag, uint16_t sought, int bits) {
  uint32_t x = tag ^ uint32_t { sought };
  for (int i = 0; i < bits; ++i) x &= x - 1;
  return x == 0;
}

/// One way to do that.
struct TagsFilter {
  const char* name = "";
  bool runs_here = false;
  uint64_t (*near_tags)(const uint16_t* tags, size_t count, uint16_t sought, int bits) = nullptr;
};

/// Widest instructions first; the last one runs on any processor.
std::span<const TagsFilter> TagsFilters();

}  // namespace neardup
