// One block of the simhash -> the entries that have it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "index/live_ids.h"
#include "index/near_tags.h"

namespace neardup {

/// 65,536 buckets, one for each value of a 16-bit block. A posting is the number of an entry and,
/// as a tag, its partner block: the other one of the same half of the simhash. What differs in 3
/// bits has a half with at most one error, so one of its blocks is equal and the other one differs
/// in at most one bit: the tags alone say who is worth a look.
///
/// Postings stand in order of arrival. The dead are the first of their bucket and are dropped when
/// it would grow or is swept, so a reader has to skip them.
class BlockTable {
 public:
  static constexpr size_t kBuckets = size_t{1} << 16;

  BlockTable() : buckets_(kBuckets) {}

  void Insert(uint16_t block, uint16_t partner, uint32_t id, LiveIds live);
  /// Takes back the newest insertion into the bucket.
  void RemoveNewest(uint16_t block, uint32_t id);
  /// Drops the dead of a bucket, and the memory it no longer needs.
  void Sweep(uint16_t block, LiveIds live);

  /// For ForEachNear.
  void Prefetch(uint16_t block) const;
  /// For Sweep.
  void PrefetchOldest(uint16_t block) const { __builtin_prefetch(buckets_[block].ids()); }
  /// Calls `visit` with the number of each entry that has the block, and a partner which differs
  /// from `partner` in at most `bits` (0 to 3) bits; oldest first, dead ones among them.
  template <class Visit>
  void ForEachNear(uint16_t block, uint16_t partner, int bits, const Visit& visit) const {
    const Bucket& bucket = buckets_[block];
    const uint16_t* const tags = bucket.tags();
    const uint32_t* const ids = bucket.ids();
    for (size_t at = 0; at < bucket.size; at += kTagsPerMask) {
      const size_t count = bucket.size - at < kTagsPerMask ? bucket.size - at : kTagsPerMask;
      for (uint64_t mask = NearTags(tags + at, count, partner, bits); mask != 0; mask &= mask - 1) {
        visit(ids[at + static_cast<size_t>(std::countr_zero(mask))]);
      }
    }
  }

  /// Memory held, with what the allocator adds.
  uint64_t bytes() const { return kBuckets * sizeof(Bucket) + posting_bytes_; }
  /// Most that bytes() can come to while never more than `live_max` are live, and every bucket is
  /// swept within `round` insertions.
  static uint64_t BytesMax(uint64_t live_max, uint64_t round);
  /// Postings in a bucket, dead ones too.
  size_t size(uint16_t block) const { return buckets_[block].size; }

 private:
  /// First all tags, then all numbers.
  struct Bucket {
    std::unique_ptr<std::byte[]> postings;
    uint32_t size = 0;
    uint32_t capacity = 0;

    uint16_t* tags() const { return reinterpret_cast<uint16_t*>(postings.get()); }
    uint32_t* ids() const {
      return reinterpret_cast<uint32_t*>(postings.get() + capacity * sizeof(uint16_t));
    }
  };

  void DropDead(Bucket& bucket, LiveIds live);
  void Resize(Bucket& bucket, size_t capacity);

  std::vector<Bucket> buckets_;
  uint64_t posting_bytes_ = 0;
};

}  // namespace neardup
