#include "index/block_table.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kPostingBytes = sizeof(uint16_t) + sizeof(uint32_t);
/// What the memory allocator adds to each allocation, at most.
constexpr size_t kAllocationBytes = 16;
/// Capacities are multiples of kCapacityStep, so that the numbers stand aligned, and at least so
/// large that the tags read beyond the last one are still inside the allocation.
constexpr size_t kCapacityStep = 8;
constexpr size_t kCapacityMin = 16;
static_assert(kCapacityMin * sizeof(uint32_t) >= kTagsReadBeyond * sizeof(uint16_t));
/// Spare places of a bucket: one for so many postings.
constexpr size_t kSpareShare = 16;

size_t CapacityFor(size_t postings) {
  const size_t wanted = postings + postings / kSpareShare + 1;
  return std::max(kCapacityMin, (wanted + kCapacityStep - 1) / kCapacityStep * kCapacityStep);
}

size_t AllocatedBytes(size_t capacity) {
  return capacity == 0 ? 0 : capacity * kPostingBytes + kAllocationBytes;
}

}  // namespace

void BlockTable::Insert(uint16_t block, uint16_t partner, uint32_t id, LiveIds live) {
  Bucket& bucket = buckets_[block];
  if (bucket.size == bucket.capacity) {
    DropDead(bucket, live);
    const size_t capacity = CapacityFor(bucket.size);
    if (capacity > bucket.capacity) Resize(bucket, capacity);
  }
  bucket.tags()[bucket.size] = partner;
  bucket.ids()[bucket.size] = id;
  ++bucket.size;
}

void BlockTable::RemoveNewest(uint16_t block, [[maybe_unused]] uint32_t id) {
  Bucket& bucket = buckets_[block];
  assert(bucket.size > 0 && bucket.ids()[bucket.size - 1] == id);
  --bucket.size;
}

void BlockTable::Sweep(uint16_t block, LiveIds live) {
  Bucket& bucket = buckets_[block];
  DropDead(bucket, live);
  const size_t wanted = bucket.size == 0 ? 0 : CapacityFor(bucket.size);
  if (bucket.capacity > wanted + wanted / kSpareShare + kCapacityStep) Resize(bucket, wanted);
}

void BlockTable::Prefetch(uint16_t block) const {
  constexpr size_t kLine = 64;
  constexpr size_t kLinesMax = 8;
  const Bucket& bucket = buckets_[block];
  const std::byte* const tags = bucket.postings.get();
  const size_t bytes = std::min(bucket.size * sizeof(uint16_t), kLinesMax * kLine);
  for (size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(tags + at);
  if (bucket.size > 0) __builtin_prefetch(bucket.ids() + bucket.size);
}

uint64_t BlockTable::BytesMax(uint64_t live_max, uint64_t round) {
  // A bucket is as large as CapacityFor some number of its entries that were live at one moment
  // since it was last swept, or a share and a step larger. All these together were live when the
  // round began, or came in it.
  const uint64_t postings = live_max + round;
  const uint64_t grown = postings + postings / kSpareShare + kBuckets * (kCapacityMin + 1);
  const uint64_t places = grown + grown / kSpareShare + kBuckets * kCapacityStep;
  return kBuckets * (sizeof(Bucket) + kAllocationBytes) + places * kPostingBytes;
}

void BlockTable::DropDead(Bucket& bucket, LiveIds live) {
  const uint32_t* const ids = bucket.ids();
  const auto first =
      std::find_if(ids, ids + bucket.size, [live](uint32_t id) { return live.Holds(id); });
  const auto dead = static_cast<size_t>(first - ids);
  if (dead == 0) return;
  const size_t left = bucket.size - dead;
  std::memmove(bucket.tags(), bucket.tags() + dead, left * sizeof(uint16_t));
  std::memmove(bucket.ids(), bucket.ids() + dead, left * sizeof(uint32_t));
  bucket.size = static_cast<uint32_t>(left);
}

void BlockTable::Resize(Bucket& bucket, size_t capacity) {
  assert(capacity >= bucket.size);
  Bucket resized;
  resized.capacity = static_cast<uint32_t>(capacity);
  resized.size = bucket.size;
  if (capacity > 0) resized.postings.reset(new std::byte[capacity * kPostingBytes]);
  if (bucket.size > 0) {
    std::memcpy(resized.tags(), bucket.tags(), bucket.size * sizeof(uint16_t));
    std::memcpy(resized.ids(), bucket.ids(), bucket.size * sizeof(uint32_t));
  }
  posting_bytes_ += AllocatedBytes(capacity);
  posting_bytes_ -= AllocatedBytes(bucket.capacity);
  bucket = std::move(resized);
}

}  // namespace neardup
