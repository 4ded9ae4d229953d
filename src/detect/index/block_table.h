// One table of the index: from some bits of the simhash to the entries that have these bits.
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
#include <type_traits>

#include "detect/index/entry_store.h"
#include "detect/index/line_heap.h"
#include "detect/index/page_memory.h"
#include "detect/index/processor.h"

namespace neardup {

// Finds, among many 16-bit tags, those within a few bits of one tag.

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

/// One bucket for each value of the bits. A posting is the number of an entry and a tag, which
/// holds the other bits of the half (block_layout.h). The tags alone tell which entries need to be
/// read.
///
/// A bucket is a cache line that holds its first tags, so that with up to about a million entries a
/// look-up reads one line per table. Its postings form a ring in order of arrival: an insertion
/// takes the place of the oldest posting if that is dead, and moves nothing. A look-up finds dead
/// postings too, and its caller has to skip them.
class BlockTable {
 public:
  /// The tables of an index share the heap for their postings, and leave them to it in the end.
  /// With Pages::kLarge the memory of the buckets is provided now.
  BlockTable(size_t buckets, LineHeap& heap, Pages pages = Pages::kLarge);

  void Insert(uint32_t bucket, uint16_t tag, uint32_t id, LiveIds live);
  /// Drops all postings, and makes room for `postings[i]` insertions into bucket i.
  void Reserve(std::span<const uint32_t> postings);
  /// Undoes the newest insertion into the bucket, which must be the posting of `id`.
  void RemoveNewest(uint32_t bucket, uint32_t id);
  /// Drops the dead postings of a bucket, and the memory that it no longer needs.
  void Sweep(uint32_t bucket, LiveIds live);

  /// Prefetches a bucket. The other Prefetch functions read it, so call this one some time before.
  void PrefetchBucket(uint32_t bucket) const { FetchLine(&at(bucket)); }
  /// Prefetches what ForEachNear will read.
  void PrefetchTags(uint32_t bucket) const {
    constexpr size_t kTagsMax = 256;
    const Bucket& read = at(bucket);
    const size_t end = std::min(read.end(), kTagsMax);
    for (size_t at = kTagsInside; at < end; at += kTagsPerLine) {
      FetchLine(read.further_tags() + (at - kTagsInside));
    }
  }
  /// Prefetches what Insert and ForEachNearAmong will touch.
  void PrefetchNewest(uint32_t bucket) const {
    const Bucket& written = at(bucket);
    if (written.capacity == 0) return;
    const size_t place = written.PlaceOf(written.size);
    FetchLine(written.ids() + place);
    if (place >= kTagsInside) FetchLine(written.further_tags() + (place - kTagsInside));
  }
  /// Prefetches what Sweep will read.
  void PrefetchOldest(uint32_t bucket) const {
    const Bucket& swept = at(bucket);
    if (swept.capacity > 0) FetchLine(swept.ids() + swept.head);
  }

  /// Calls `visit` for each entry, dead or live, whose tag differs from `tag` in at most `bits` (0
  /// to 3) bits. `visit` gets a pointer to the entry's number, which is seldom in the cache yet.
  template <class Visit>
  void ForEachNear(uint32_t bucket, uint16_t tag, int bits, const Visit& visit) const;
  /// The same among the newest entries only, and reads little else. `visit` gets the number itself.
  template <class Visit>
  void ForEachNearAmong(LiveIds newest, uint32_t bucket, uint16_t tag, int bits,
                        const Visit& visit) const;

  /// Memory taken, without the gaps of the heap.
  uint64_t bytes() const { return memory_.bytes() + posting_bytes_; }
  /// Upper bound of bytes() while at most `live_max` entries are live and every bucket is swept at
  /// least once in `round` insertions.
  static uint64_t BytesMax(size_t buckets, uint64_t live_max, uint64_t round);
  size_t buckets() const { return buckets_; }
  /// Number of postings in a bucket, dead or live.
  uint32_t size(uint32_t bucket) const { return at(bucket).size; }

 private:
  static constexpr size_t kTagsInside = kFirstTags;
  static constexpr size_t kTagsPerLine = 32;

  /// `postings` holds the tags from place kTagsInside on, and then all numbers. The oldest posting
  /// is at place `head`; the next ones follow and wrap around to place 0. All zero: an empty
  /// bucket.
  struct alignas(64) Bucket {
    std::array<uint16_t, kTagsInside> first_tags;
    uint32_t head;
    uint32_t size;
    uint32_t capacity;
    std::byte* postings;

    uint16_t* further_tags() const { return reinterpret_cast<uint16_t*>(postings); }
    /// Only if the capacity is not 0.
    uint32_t* ids() const {
      return reinterpret_cast<uint32_t*>(postings + (capacity - kTagsInside) * sizeof(uint16_t));
    }
    uint16_t& tag(size_t place) {
      return place < kTagsInside ? first_tags[place] : further_tags()[place - kTagsInside];
    }
    /// Of the posting that is so much younger than the oldest one; `age` is at most the capacity.
    size_t PlaceOf(size_t age) const {
      const size_t place = size_t{head} + age;
      return place < capacity ? place : place - capacity;
    }
    bool Holds(size_t place) const {
      return (place < head ? place + capacity : place) - head < size;
    }
    /// All postings are at places below this one.
    size_t end() const { return std::min<size_t>(size_t{head} + size, capacity); }
  };
  static_assert(sizeof(Bucket) == 64 && std::is_trivial_v<Bucket>);

  Bucket& at(size_t bucket) const { return static_cast<Bucket*>(memory_.data())[bucket]; }
  void DropDead(Bucket& bucket, LiveIds live);
  void Resize(Bucket& bucket, size_t capacity);

  LineHeap* heap_;
  PageMemory memory_;
  size_t buckets_;
  uint64_t posting_bytes_ = 0;
};

template <class Visit>
void BlockTable::ForEachNear(uint32_t bucket, uint16_t tag, int bits, const Visit& visit) const {
  const Bucket& found = at(bucket);
  const size_t end = found.end();
  const auto visit_all = [&](NearTags near) {
    for (; near.mask != 0; near.mask &= near.mask - 1) {
      const size_t place = near.begin + static_cast<size_t>(std::countr_zero(near.mask));
      if (found.Holds(place)) visit(found.ids() + place);
    }
  };
  visit_all({0, NearFirstTags(found.first_tags.data(), tag, bits)});

  if (end <= kTagsInside) return;
  const size_t further = end - kTagsInside;
  for (size_t at = 0; at < further; at += kTagsPerMask) {
    const NearTags near = FindNearTags(found.further_tags(), at, further, tag, bits);
    visit_all({near.begin + kTagsInside, near.mask});
    at = near.begin;
  }
}

template <class Visit>
void BlockTable::ForEachNearAmong(LiveIds newest, uint32_t bucket, uint16_t tag, int bits,
                                  const Visit& visit) const {
  Bucket& found = at(bucket);
  for (size_t age = found.size; age-- > 0;) {
    const size_t place = found.PlaceOf(age);
    if (!newest.Holds(found.ids()[place])) return;
    if (NearTag(found.tag(place), tag, bits)) visit(found.ids()[place]);
  }
}

}  // namespace neardup
