// One block of the simhash -> the entries that have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace neardup {

/// The numbers of live entries, cut to 32 bits. Right while fewer than 2^32 are live and no dead
/// one is kept for as many insertions.
struct LiveIds {
  uint32_t begin = 0;
  uint32_t count = 0;

  bool Holds(uint32_t id) const { return id - begin < count; }
};

/// 65,536 buckets of entry numbers, ascending in age within each. The dead stand first in their
/// bucket and are dropped when it would grow or is swept, so a reader has to skip them.
class BlockTable {
 public:
  static constexpr size_t kBuckets = size_t{1} << 16;

  BlockTable() : buckets_(kBuckets) {}

  std::span<const uint32_t> bucket(uint16_t block) const { return buckets_[block]; }

  void Insert(uint16_t block, uint32_t id, LiveIds live);
  /// Takes back the newest insertion into the bucket.
  void RemoveNewest(uint16_t block, uint32_t id);
  /// Drops the dead of a bucket, and the memory it no longer needs.
  void Sweep(uint16_t block, LiveIds live);

  uint64_t bytes() const { return kBuckets * sizeof(Bucket) + id_slots_ * sizeof(uint32_t); }
  /// Most that bytes() can come to while never more than `live_max` are live, and every bucket is
  /// swept within `round` insertions.
  static uint64_t BytesMax(uint64_t live_max, uint64_t round);

 private:
  using Bucket = std::vector<uint32_t>;

  std::vector<Bucket> buckets_;
  uint64_t id_slots_ = 0;  ///< capacity of all buckets
};

}  // namespace neardup
