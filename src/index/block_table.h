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
/// look-up reads one line for each block. Postings stand in order of arrival. The dead are the
/// first of their bucket and are dropped when it would grow or is swept, so a reader has to skip
/// them.
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
  void PrefetchTags(uint16_t block) const;
  /// For Insert, and ForEachNearAmong the newest.
  void PrefetchNewest(uint16_t block) const;
  /// For Sweep.
  void PrefetchOldest(uint16_t block) const {
    if (bucket(block).capacity > 0) FetchLine(bucket(block).ids());
  }

  /// Calls `visit` with the number of each entry that has the block, and a partner which differs
  /// from `partner` in at most `bits` (0 to 3) bits; oldest first, dead ones among them.
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
  static constexpr size_t kTagsInside = 24;

  /// `postings`: first the tags from number kTagsInside on, then all numbers. All zero is an empty
  /// bucket.
  struct alignas(64) Bucket {
    std::array<uint16_t, kTagsInside> first_tags;
    std::byte* postings;
    uint32_t size;
    uint32_t capacity;

    uint16_t* further_tags() const { return reinterpret_cast<uint16_t*>(postings); }
    /// Only with a capacity.
    uint32_t* ids() const {
      return reinterpret_cast<uint32_t*>(postings + (capacity - kTagsInside) * sizeof(uint16_t));
    }
    uint16_t& tag(size_t i) {
      return i < kTagsInside ? first_tags[i] : further_tags()[i - kTagsInside];
    }
  };
  static_assert(sizeof(Bucket) == 64 && std::is_trivial_v<Bucket>);
  static_assert(sizeof(Bucket) >= kTagsReadBeyond * sizeof(uint16_t));

  Bucket& bucket(uint16_t block) const { return static_cast<Bucket*>(memory_.data())[block]; }
  void DropDead(Bucket& bucket, LiveIds live);
  void Resize(Bucket& bucket, size_t capacity);

  PageMemory memory_;
  uint64_t posting_bytes_ = 0;
};

template <class Visit>
void BlockTable::ForEachNear(uint16_t block, uint16_t partner, int bits, const Visit& visit) const {
  const Bucket& found = bucket(block);
  const auto visit_near = [&](const uint16_t* tags, size_t begin, size_t end) {
    for (uint64_t mask = NearTags(tags, end - begin, partner, bits); mask != 0; mask &= mask - 1) {
      visit(found.ids()[begin + static_cast<size_t>(std::countr_zero(mask))]);
    }
  };
  visit_near(found.first_tags.data(), 0, std::min<size_t>(found.size, kTagsInside));
  for (size_t at = kTagsInside; at < found.size; at += kTagsPerMask) {
    visit_near(found.further_tags() + (at - kTagsInside), at,
               std::min<size_t>(found.size, at + kTagsPerMask));
  }
}

template <class Visit>
void BlockTable::ForEachNearAmong(LiveIds newest, uint16_t block, uint16_t partner, int bits,
                                  const Visit& visit) const {
  Bucket& found = bucket(block);
  for (size_t i = found.size; i-- > 0 && newest.Holds(found.ids()[i]);) {
    if (NearTag(found.tag(i), partner, bits)) visit(found.ids()[i]);
  }
}

}  // namespace neardup
