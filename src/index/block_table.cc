#include "index/block_table.h"

#include <algorithm>
#include <cassert>

namespace neardup {

namespace {

constexpr size_t kSpareSlotsMax = 4;

void DropDead(std::vector<uint32_t>& bucket, LiveIds live) {
  const auto alive = [live](uint32_t id) { return live.Holds(id); };
  bucket.erase(bucket.begin(), std::find_if(bucket.begin(), bucket.end(), alive));
}

}  // namespace

void BlockTable::Insert(uint16_t block, uint32_t id, LiveIds live) {
  Bucket& bucket = buckets_[block];
  const size_t slots = bucket.capacity();
  if (bucket.size() == slots) DropDead(bucket, live);
  bucket.push_back(id);
  id_slots_ += bucket.capacity() - slots;
}

void BlockTable::RemoveNewest(uint16_t block, [[maybe_unused]] uint32_t id) {
  assert(!buckets_[block].empty() && buckets_[block].back() == id);
  buckets_[block].pop_back();
}

void BlockTable::Sweep(uint16_t block, LiveIds live) {
  Bucket& bucket = buckets_[block];
  DropDead(bucket, live);
  const size_t slots = bucket.capacity();
  if (slots > 2 * bucket.size() + kSpareSlotsMax) {
    bucket.shrink_to_fit();
    id_slots_ -= slots - bucket.capacity();
  }
}

// A bucket has at most twice the slots of the most live entries it had since its last sweep, and
// the spare ones. What was live in any bucket since then was live one round ago or inserted since.
uint64_t BlockTable::BytesMax(uint64_t live_max, uint64_t round) {
  const uint64_t id_slots = 2 * (live_max + round) + kBuckets * kSpareSlotsMax;
  return kBuckets * sizeof(Bucket) + id_slots * sizeof(uint32_t);
}

}  // namespace neardup
