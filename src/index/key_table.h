// Ten postings of text keys in one cache line.
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

#include "index/live_ids.h"
#include "index/page_memory.h"
#include "index/processor.h"

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

// A text key -> some of the entries that are remembered under it.

/// Cache lines of ten postings. A key belongs to one line for good: the keys are cut into as many
/// equal ranges as there are lines. A posting keeps the low 16 bits of its key as a tag; no range
/// is larger than that, so line and tag are the whole key.
///
/// A line that is full of live postings takes no more: a key that very many entries have costs one
/// line and not a list. The number of lines depends on the capacity alone, so what has room depends
/// on nothing but the live entries and their keys: a table that is rebuilt from them goes on as the
/// one before would have. Dead postings count as room.
class KeyTable {
 public:
  /// As many live entries one key leads to.
  static constexpr int kEntriesPerKeyMax = 8;

  /// Of a capacity of so many postings.
  explicit KeyTable(uint64_t postings_max);

  /// Places for the key; 0 also where the key leads to as many entries as it may.
  size_t Room(uint32_t key, LiveIds live) const;
  bool SameLine(uint32_t a, uint32_t b) const { return LineNumber(a) == LineNumber(b); }
  /// Where there is no room, in the place of the oldest posting of the line.
  void Insert(uint32_t key, uint32_t id, LiveIds live);
  /// Of a pair that was inserted, if it is still there.
  void Remove(uint32_t key, uint32_t id);
  /// Clears the dead of the next line. A round over all lines before 2^32 insertions keeps numbers
  /// from being met again after they have wrapped around.
  void SweepNext(LiveIds live);

  /// Lines without room, as a share of some thousands all over the table.
  double FullShare(LiveIds live) const;

  void Prefetch(uint32_t key) const { FetchLine(&LineOf(key)); }
  /// Calls `visit` with the number of each live entry that has one of the keys, once for each.
  template <class Visit>
  void ForEach(std::span<const uint32_t> keys, LiveIds live, const Visit& visit) const;

  /// The same from the beginning to the end.
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
  // The places of four lines are gone through as one: how many there are cannot be foretold, and
  // each loop that ends unforeseen costs as much as reading several lines.
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
