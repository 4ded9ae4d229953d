#include "detect/index/block_table.h"

#include <cassert>

#include "detect/base/simd.h"

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

namespace {

constexpr size_t kPostingBytes = sizeof(uint16_t) + sizeof(uint32_t);
/// A resize adds spare places to a bucket: a kSpareShare-th of its postings, plus two.
constexpr size_t kSpareShare = 24;
/// Lines of the smallest array of postings. With one line, a bucket would hold fewer postings than
/// it has first tags.
constexpr size_t kLinesMin = 2;
constexpr size_t kFirstTagBytes = kFirstTags * sizeof(uint16_t);

/// Number of postings that an array of `lines` lines can hold. The bucket itself holds the first
/// tags. The number is even, which aligns the numbers of the entries.
constexpr size_t CapacityOf(size_t lines) {
  return (lines * LineHeap::kLineBytes + kFirstTagBytes) / kPostingBytes / 2 * 2;
}
/// Number of lines that an array of `capacity` postings takes.
constexpr size_t LinesOf(size_t capacity) {
  return capacity == 0 ? 0
                       : (capacity * kPostingBytes - kFirstTagBytes + LineHeap::kLineBytes - 1) /
                             LineHeap::kLineBytes;
}
// FindNearTags reads past the last tag, which must stay inside the array.
static_assert(CapacityOf(kLinesMin) * sizeof(uint32_t) >= kTagsReadBeyond * sizeof(uint16_t));
static_assert(CapacityOf(kLinesMin) > kFirstTags && LinesOf(CapacityOf(kLinesMin)) == kLinesMin &&
              LinesOf(CapacityOf(15)) == 15);

/// The capacity for a bucket of `postings` postings, with spare places. A short bucket gets
/// kFirstTags places, so that the bucket itself holds all its tags.
size_t CapacityFor(size_t postings) {
  const size_t wanted = postings + postings / kSpareShare + 2;
  return wanted <= kFirstTags ? kFirstTags : CapacityOf(std::max(kLinesMin, LinesOf(wanted)));
}

}  // namespace

BlockTable::BlockTable(size_t buckets, LineHeap& heap, Pages pages)
    : heap_(&heap), memory_(buckets * sizeof(Bucket), pages), buckets_(buckets) {
  if (pages == Pages::kLarge) memory_.Touch();
}

void BlockTable::Insert(uint32_t bucket, uint16_t tag, uint32_t id, LiveIds live) {
  Bucket& grown = at(bucket);
  if (grown.size == grown.capacity) {
    if (grown.size > 0 && !live.Holds(grown.ids()[grown.head])) {
      grown.head = static_cast<uint32_t>(grown.PlaceOf(1));
      --grown.size;
    } else {
      Resize(grown, CapacityFor(grown.size));
    }
  }
  const size_t place = grown.PlaceOf(grown.size);
  grown.tag(place) = tag;
  grown.ids()[place] = id;
  ++grown.size;
}

void BlockTable::Reserve(std::span<const uint32_t> postings) {
  assert(postings.size() == buckets_);
  for (size_t bucket = 0; bucket < buckets_; ++bucket) {
    Bucket& reserved = at(bucket);
    reserved.head = 0;
    reserved.size = 0;
    if (postings[bucket] > 0) Resize(reserved, CapacityFor(postings[bucket]));
  }
}

void BlockTable::RemoveNewest(uint32_t bucket, [[maybe_unused]] uint32_t id) {
  Bucket& shrunk = at(bucket);
  assert(shrunk.size > 0 && shrunk.ids()[shrunk.PlaceOf(shrunk.size - 1)] == id);
  --shrunk.size;
}

void BlockTable::Sweep(uint32_t bucket, LiveIds live) {
  Bucket& swept = at(bucket);
  DropDead(swept, live);
  if (swept.capacity == 0) return;
  const size_t wanted = swept.size == 0 ? 0 : CapacityFor(swept.size);
  const size_t lines = LinesOf(wanted);
  const bool is_long = LinesOf(swept.capacity) > lines + lines / kSpareShare + 1;
  if (is_long || (wanted <= kFirstTags && swept.capacity > wanted)) Resize(swept, wanted);
}

uint64_t BlockTable::BytesMax(size_t buckets, uint64_t live_max, uint64_t round) {
  // Let n be the number of entries of a bucket that were live at some moment since its last sweep.
  // These entries were live when the round of sweeping began, or were inserted during it. Let L be
  // the lines of CapacityFor(n). The bucket has at most L + L / kSpareShare + 1 lines. kLinesMin
  // lines for each bucket cover the last line, the rounding to lines, and two spare places.
  const uint64_t postings = live_max + round;
  const uint64_t grown = postings + postings / kSpareShare;
  const uint64_t places = grown + grown / kSpareShare;
  return buckets * (sizeof(Bucket) + kLinesMin * LineHeap::kLineBytes) + places * kPostingBytes;
}

void BlockTable::DropDead(Bucket& bucket, LiveIds live) {
  if (bucket.size == 0 || live.Holds(bucket.ids()[bucket.head])) return;
  size_t dead = 1;
  for (size_t end = bucket.size; dead < end;) {
    const size_t middle = dead + (end - dead) / 2;
    if (live.Holds(bucket.ids()[bucket.PlaceOf(middle)])) {
      end = middle;
    } else {
      dead = middle + 1;
    }
  }
  bucket.head = static_cast<uint32_t>(bucket.PlaceOf(dead));
  bucket.size -= static_cast<uint32_t>(dead);
}

void BlockTable::Resize(Bucket& bucket, size_t capacity) {
  assert(capacity >= bucket.size || capacity == 0);
  Bucket resized{};
  resized.size = bucket.size;
  resized.capacity = static_cast<uint32_t>(capacity);
  if (capacity > 0) {
    resized.postings = heap_->Take(LinesOf(capacity));
    posting_bytes_ += LinesOf(capacity) * LineHeap::kLineBytes;
  }
  for (size_t age = 0; age < std::min(resized.size, resized.capacity); ++age) {
    const size_t place = bucket.PlaceOf(age);
    resized.tag(age) = bucket.tag(place);
    resized.ids()[age] = bucket.ids()[place];
  }
  if (bucket.capacity > 0) {
    const size_t before = LinesOf(bucket.capacity);
    posting_bytes_ -= before * LineHeap::kLineBytes;
    heap_->Give(bucket.postings, before);
  }
  bucket = resized;
}

}  // namespace neardup
