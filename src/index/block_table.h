// One block of the simhash -> the entries that have it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "index/fetch_line.h"
#include "index/live_ids.h"
#include "index/near_tags.h"
#include "index/page_memory.h"

namespace neardup {

/// 65,536 buckets, one for each value of a 16-bit block. A posting is the number of an entry and,
/// as a tag, its partner block: the other one of the same half of the simhash. What differs in 3
/// bits has a half with at most one error, so one of its blocks is equal and the other one differs
/// in at most one bit: the tags alone say who is worth a look.
///
/// A bucket is a cache line that holds its first tags, so that up to some millions of entries a
/// look-up reads one line for each block. Its postings stand in a ring in order of arrival: an
/// insertion takes the place of the oldest one, if that is dead, and moves nothing. The dead are
/// found like the live, so a reader has to skip them.
class BlockTable {
 public:
  static constexpr size_t kBuckets = size_t{1} << 16;

  BlockTable() : memory_(kBuckets * sizeof(Bucket)) {}
  ~BlockTable();
  BlockTable(const BlockTable&) = delete;
  BlockTable& operator=(const BlockTable&) = delete;

  void Insert(uint16_t block, uint16_t partner, uint32_t id, LiveIds live);
  /// Makes room for so many insertions into each bucket, all of which must be empty.
  void Reserve(std::span<const uint32_t, kBuckets> postings);
  /// Takes back the newest insertion into the bucket.
  void RemoveNewest(uint16_t block, uint32_t id);
  /// Drops the dead of a bucket, and the memory it no longer needs.
  void Sweep(uint16_t block, LiveIds live);

  /// For what follows, for the other three Prefetch... too, which want the bucket in the cache.
  void PrefetchBucket(uint16_t block) const { FetchLine(&bucket(block)); }
  /// For ForEachNear.
  void PrefetchTags(uint16_t block) const {
    constexpr size_t kTagsMax = 256;
    const Bucket& read = bucket(block);
    const size_t end = std::min(read.end(), kTagsMax);
    for (size_t at = kTagsInside; at < end; at += kTagsPerLine) {
      FetchLine(read.further_tags() + (at - kTagsInside));
    }
  }
  /// For Insert, and ForEachNearAmong the newest.
  void PrefetchNewest(uint16_t block) const {
    const Bucket& written = bucket(block);
    if (written.capacity == 0) return;
    const size_t place = written.PlaceOf(written.size);
    FetchLine(written.ids() + place);
    if (place >= kTagsInside) FetchLine(written.further_tags() + (place - kTagsInside));
  }
  /// For Sweep.
  void PrefetchOldest(uint16_t block) const {
    const Bucket& swept = bucket(block);
    if (swept.capacity > 0) FetchLine(swept.ids() + swept.head);
  }

  /// Calls `visit` with the number of each entry that has the block, and a partner which differs
  /// from `partner` in at most `bits` (0 to 3) bits; dead ones among them.
  template <class Visit>
  void ForEachNear(uint16_t block, uint16_t partner, int bits, const Visit& visit) const;
  /// The same for those alone that are the newest of all: reads little else.
  template <class Visit>
  void ForEachNearAmong(LiveIds newest, uint16_t block, uint16_t partner, int bits,
                        const Visit& visit) const;

  /// Memory held, with what the allocator adds.
  uint64_t bytes() const { return memory_.bytes() + posting_bytes_; }
  /// Most that bytes() can come to while never more than `live_max` are live, and every bucket is
  /// swept within `round` insertions.
  static uint64_t BytesMax(uint64_t live_max, uint64_t round);
  /// Postings in a bucket, dead ones too.
  size_t size(uint16_t block) const { return bucket(block).size; }

 private:
  static constexpr size_t kTagsInside = kFirstTags;
  static constexpr size_t kTagsPerLine = 32;

  /// `postings`: first the tags from place kTagsInside on, then all numbers. The oldest posting is
  /// at place `head`, the next ones follow, at last from place 0 on. All zero is an empty bucket.
  struct alignas(64) Bucket {
    std::array<uint16_t, kTagsInside> first_tags;
    uint32_t head;
    uint32_t size;
    uint32_t capacity;
    std::byte* postings;

    uint16_t* further_tags() const { return reinterpret_cast<uint16_t*>(postings); }
    /// Only with a capacity.
    uint32_t* ids() const {
      return reinterpret_cast<uint32_t*>(postings + (capacity - kTagsInside) * sizeof(uint16_t));
    }
    uint16_t& tag(size_t place) {
      return place < kTagsInside ? first_tags[place] : further_tags()[place - kTagsInside];
    }
    /// Of the posting that is so much younger than the oldest one; `age` is at most the capacity.
    size_t PlaceOf(size_t age) const {
      const size_t place = head + age;
      return place < capacity ? place : place - capacity;
    }
    bool Holds(size_t place) const {
      return (place < head ? place + capacity : place) - head < size;
    }
    /// Postings are at places below this one only.
    size_t end() const { return std::min<size_t>(head + size, capacity); }
  };
  static_assert(sizeof(Bucket) == 64 && std::is_trivial_v<Bucket>);

  Bucket& bucket(uint16_t block) const { return static_cast<Bucket*>(memory_.data())[block]; }
  void DropDead(Bucket& bucket, LiveIds live);
  void Resize(Bucket& bucket, size_t capacity);

  PageMemory memory_;
  uint64_t posting_bytes_ = 0;
};

template <class Visit>
void BlockTable::ForEachNear(uint16_t block, uint16_t partner, int bits, const Visit& visit) const {
  const Bucket& found = bucket(block);
  const size_t end = found.end();
  const auto visit_all = [&](uint64_t mask, size_t begin) {
    for (; mask != 0; mask &= mask - 1) {
      const size_t place = begin + static_cast<size_t>(std::countr_zero(mask));
      if (found.Holds(place)) visit(found.ids()[place]);
    }
  };
  visit_all(NearFirstTags(found.first_tags.data(), partner, bits), 0);
  for (size_t at = kTagsInside; at < end; at += kTagsPerMask) {
    const size_t count = std::min<size_t>(end - at, kTagsPerMask);
    visit_all(NearTags(found.further_tags() + (at - kTagsInside), count, partner, bits), at);
  }
}

template <class Visit>
void BlockTable::ForEachNearAmong(LiveIds newest, uint16_t block, uint16_t partner, int bits,
                                  const Visit& visit) const {
  Bucket& found = bucket(block);
  for (size_t age = found.size; age-- > 0;) {
    const size_t place = found.PlaceOf(age);
    if (!newest.Holds(found.ids()[place])) return;
    if (NearTag(found.tag(place), partner, bits)) visit(found.ids()[place]);
  }
}

}  // namespace neardup
