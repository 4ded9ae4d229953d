// From a text key to some of the entries that are remembered under it.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "detect/index/entry_store.h"
#include "detect/index/page_memory.h"
#include "detect/index/processor.h"

namespace neardup {

/// Ten postings of text keys in one cache line. A set of places is a mask with one bit per place.
struct alignas(64) KeyLine {
  static constexpr size_t kPostings = 10;
  static constexpr uint32_t kAllPlaces = (1U << kPostings) - 1;

  std::array<uint16_t, kPostings> tags;
  uint16_t used;  ///< the places that are taken
  std::array<uint32_t, kPostings> ids;

  /// The places with this tag.
  uint32_t WithTag(uint16_t tag) const;
  /// The places with a live entry.
  uint32_t Live(LiveIds live) const;
};
static_assert(sizeof(KeyLine) == 64 && offsetof(KeyLine, ids) == 24);

#if defined(__SSE2__)  // every x86-64 processor has it

inline uint32_t KeyLine::WithTag(uint16_t tag) const {
  const auto* const line = reinterpret_cast<const __m128i*>(this);
  const __m128i sought = _mm_set1_epi16(static_cast<int16_t>(tag));
  // The second half holds tags 8 and 9, and then other members; `used` masks these out.
  const __m128i first = _mm_cmpeq_epi16(_mm_load_si128(line), sought);
  const __m128i second = _mm_cmpeq_epi16(_mm_load_si128(line + 1), sought);
  const auto equal = static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(first, second)));
  return equal & used;
}

inline uint32_t KeyLine::Live(LiveIds live) const {
  // SSE2 compares signed numbers only; with the sign bits flipped it compares unsigned ones.
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

/// A table of cache lines of ten postings each. The range of keys is cut into as many equal parts
/// as there are lines, so that every key has a fixed line. A posting keeps the low 16 bits of its
/// key as a tag. No part has more than 2^16 keys, so line and tag together identify the key.
///
/// A line that is full of live postings accepts no more: a key that very many entries have costs
/// one line and not a long list. A dead posting counts as room. The number of lines depends on the
/// capacity alone, and room depends on the live entries and their keys alone. A table that is
/// rebuilt from the live entries therefore continues exactly as the former one would have.
class KeyTable {
 public:
  /// A key leads to at most this many live entries.
  static constexpr int kEntriesPerKeyMax = 8;

  /// Sized for `postings_max` live postings.
  explicit KeyTable(uint64_t postings_max);

  /// Number of places that are free for the key; 0 if it already leads to kEntriesPerKeyMax
  /// entries.
  size_t Room(uint32_t key, LiveIds live) const;
  bool SameLine(uint32_t a, uint32_t b) const { return LineNumber(a) == LineNumber(b); }
  /// If there is no room, replaces the oldest posting of the line.
  void Insert(uint32_t key, uint32_t id, LiveIds live);
  /// Removes the posting of a pair that was inserted, if it was not replaced since.
  void Remove(uint32_t key, uint32_t id);
  /// Removes the dead postings of the next line. Every line must be swept at least once in 2^32
  /// insertions, or a dead number could be taken for a live one after the numbers have wrapped
  /// around.
  void SweepNext(LiveIds live);

  /// Share of full lines, 0 to 1, estimated from 4096 lines spread over the table.
  double FullShare(LiveIds live) const;

  void Prefetch(uint32_t key) const { FetchLine(&LineOf(key)); }
  /// Calls `visit` with the number of each live entry that has one of the keys, once per shared
  /// key.
  template <class Visit>
  void ForEach(std::span<const uint32_t> keys, LiveIds live, const Visit& visit) const;

  /// Memory held, in bytes. Constant.
  uint64_t bytes() const { return memory_.bytes(); }
  static uint64_t Bytes(uint64_t postings_max) { return LineCount(postings_max) * sizeof(KeyLine); }

 private:
  static uint64_t LineCount(uint64_t postings_max);
  static uint16_t TagOf(uint32_t key) { return static_cast<uint16_t>(key); }
  size_t LineNumber(uint32_t key) const { return static_cast<size_t>((key * line_count_) >> 32); }
  KeyLine* lines() const { return static_cast<KeyLine*>(memory_.data()); }
  const KeyLine& LineOf(uint32_t key) const { return lines()[LineNumber(key)]; }

  uint64_t line_count_;
  PageMemory memory_;
  uint64_t swept_ = 0;
};

inline size_t KeyTable::Room(uint32_t key, LiveIds live) const {
  const KeyLine& line = LineOf(key);
  const uint32_t live_places = line.Live(live);
  const uint32_t of_key = live_places & line.WithTag(TagOf(key));
  if (of_key != 0 && BitCount(of_key) >= kEntriesPerKeyMax) return 0;
  if (live_places == KeyLine::kAllPlaces) return 0;
  return KeyLine::kPostings - static_cast<size_t>(BitCount(live_places));
}

template <class Visit>
void KeyTable::ForEach(std::span<const uint32_t> keys, LiveIds live, const Visit& visit) const {
  // One loop goes through the places of four lines. The processor cannot predict the number of
  // places, and each mispredicted end of a loop costs as much as reading several lines.
  constexpr size_t kLinesTogether = 4;
  constexpr int kBitsPerLine = 16;
  for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kLinesTogether))) {
    uint64_t places = 0;
    for (size_t i = std::min(keys.size(), kLinesTogether); i-- > 0;) {
      places = places << kBitsPerLine | LineOf(keys[i]).WithTag(TagOf(keys[i]));
    }
    for (; places != 0; places &= places - 1) {
      const auto bit = static_cast<size_t>(std::countr_zero(places));
      const uint32_t id = LineOf(keys[bit / kBitsPerLine]).ids[bit % kBitsPerLine];
      if (live.Holds(id)) visit(id);
    }
  }
}

}  // namespace neardup
