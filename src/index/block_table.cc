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
/// large that the tags read beyond the last one are still inside the allocation; and that it is
/// more than 128 bytes: glibc puts smaller ones aside when they are freed, and one day merges all
/// of them in a single call, which took 28 ms at ten million entries.
constexpr size_t kCapacityStep = 8;
constexpr size_t kCapacityMin = 32;
static_assert(kCapacityMin * sizeof(uint32_t) >= kTagsReadBeyond * sizeof(uint16_t));
/// Spare places of a bucket: one for so many postings.
constexpr size_t kSpareShare = 24;
constexpr size_t kLineBytes = 64;

size_t CapacityFor(size_t postings) {
  const size_t wanted = postings + postings / kSpareShare + 1;
  return std::max(kCapacityMin, (wanted + kCapacityStep - 1) / kCapacityStep * kCapacityStep);
}

}  // namespace

BlockTable::~BlockTable() {
  if (posting_bytes_ == 0) return;
  for (size_t block = 0; block < kBuckets; ++block) {
    delete[] bucket(static_cast<uint16_t>(block)).postings;
  }
}

void BlockTable::Insert(uint16_t block, uint16_t partner, uint32_t id, LiveIds live) {
  Bucket& grown = bucket(block);
  if (grown.size == grown.capacity) {
    DropDead(grown, live);
    const size_t capacity = CapacityFor(grown.size);
    if (capacity > grown.capacity) Resize(grown, capacity);
  }
  grown.tag(grown.size) = partner;
  grown.ids()[grown.size] = id;
  ++grown.size;
}

void BlockTable::Reserve(std::span<const uint32_t, kBuckets> postings) {
  for (size_t block = 0; block < kBuckets; ++block) {
    Bucket& reserved = bucket(static_cast<uint16_t>(block));
    assert(reserved.size == 0);
    if (postings[block] > 0) Resize(reserved, CapacityFor(postings[block]));
  }
}

void BlockTable::RemoveNewest(uint16_t block, [[maybe_unused]] uint32_t id) {
  Bucket& shrunk = bucket(block);
  assert(shrunk.size > 0 && shrunk.ids()[shrunk.size - 1] == id);
  --shrunk.size;
}

void BlockTable::Sweep(uint16_t block, LiveIds live) {
  Bucket& swept = bucket(block);
  DropDead(swept, live);
  const size_t wanted = swept.size == 0 ? 0 : CapacityFor(swept.size);
  if (swept.capacity > wanted + wanted / kSpareShare + kCapacityStep) Resize(swept, wanted);
}

void BlockTable::PrefetchTags(uint16_t block) const {
  constexpr size_t kLinesMax = 8;
  const Bucket& read = bucket(block);
  if (read.size <= kTagsInside) return;
  const size_t bytes =
      std::min((read.size - kTagsInside) * sizeof(uint16_t), kLinesMax * kLineBytes);
  for (size_t at = 0; at < bytes; at += kLineBytes) FetchLine(read.postings + at);
}

void BlockTable::PrefetchNewest(uint16_t block) const {
  const Bucket& read = bucket(block);
  if (read.size == read.capacity) return;
  FetchLine(read.ids() + read.size);
  if (read.size > kTagsInside) {
    FetchLine(read.further_tags() + (read.size - kTagsInside));
  }
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
  if (bucket.size == 0 || live.Holds(bucket.ids()[0])) return;
  uint32_t* const ids = bucket.ids();
  const uint32_t* const first =
      std::partition_point(ids, ids + bucket.size, [live](uint32_t id) { return !live.Holds(id); });
  const auto dead = static_cast<size_t>(first - ids);
  const size_t left = bucket.size - dead;
  std::memmove(ids, first, left * sizeof(uint32_t));
  const size_t inside = std::min(left, kTagsInside);
  for (size_t i = 0; i < inside; ++i) bucket.first_tags[i] = bucket.tag(i + dead);
  if (left > kTagsInside) {
    uint16_t* const tags = bucket.further_tags();
    std::memmove(tags, tags + dead, (left - kTagsInside) * sizeof(uint16_t));
  }
  bucket.size = static_cast<uint32_t>(left);
}

void BlockTable::Resize(Bucket& bucket, size_t capacity) {
  assert(capacity >= bucket.size);
  const auto allocated_bytes = [](size_t places) {
    return places == 0 ? 0 : places * kPostingBytes - sizeof(bucket.first_tags) + kAllocationBytes;
  };
  Bucket resized = bucket;
  resized.capacity = static_cast<uint32_t>(capacity);
  resized.postings =
      capacity == 0 ? nullptr : new std::byte[allocated_bytes(capacity) - kAllocationBytes];
  if (bucket.size > 0) {
    std::memcpy(resized.ids(), bucket.ids(), bucket.size * sizeof(uint32_t));
  }
  if (bucket.size > kTagsInside) {
    std::memcpy(resized.further_tags(), bucket.further_tags(),
                (bucket.size - kTagsInside) * sizeof(uint16_t));
  }
  posting_bytes_ += allocated_bytes(capacity);
  posting_bytes_ -= allocated_bytes(bucket.capacity);
  delete[] std::exchange(bucket, resized).postings;
}

}  // namespace neardup
