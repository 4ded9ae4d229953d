#include "index/block_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kPostingBytes = sizeof(uint16_t) + sizeof(uint32_t);
/// Largest overhead of the memory allocator per allocation.
constexpr size_t kAllocationBytes = 16;
/// Smallest allocation. More than 128 bytes, because glibc collects smaller blocks when they are
/// freed and later merges all of them in a single call, which took 28 ms at ten million entries.
constexpr size_t kPostingsBytesMin = 136;
/// A capacity is kFirstTags plus a multiple of this, so that the numbers are aligned.
constexpr size_t kCapacityStep = 8;
/// A resized bucket gets one spare place for this many postings.
constexpr size_t kSpareShare = 24;
// FindNearTags reads past the last tag, which must stay inside the allocation.
static_assert((kFirstTags + kCapacityStep) * sizeof(uint32_t) >=
              kTagsReadBeyond * sizeof(uint16_t));

size_t CapacityFor(size_t postings) {
  const size_t wanted = postings + postings / kSpareShare + 1;
  if (wanted <= kFirstTags) return kFirstTags;
  const size_t further = wanted - kFirstTags;
  return kFirstTags + (further + kCapacityStep - 1) / kCapacityStep * kCapacityStep;
}

size_t PostingsBytes(size_t capacity) {
  return std::max(kPostingsBytesMin, capacity * kPostingBytes - kFirstTags * sizeof(uint16_t));
}

}  // namespace

BlockTable::BlockTable(size_t buckets) : memory_(buckets * sizeof(Bucket)), buckets_(buckets) {
  memory_.Touch();
}

BlockTable::~BlockTable() {
  if (posting_bytes_ == 0) return;
  for (size_t bucket = 0; bucket < buckets_; ++bucket) delete[] at(bucket).postings;
}

BlockTable::BlockTable(BlockTable&& other) noexcept
    : memory_(std::move(other.memory_)),
      buckets_(std::exchange(other.buckets_, 0)),
      posting_bytes_(std::exchange(other.posting_bytes_, 0)) {}

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
  const size_t wanted = swept.size == 0 ? 0 : CapacityFor(swept.size);
  if (swept.capacity > wanted + wanted / kSpareShare + kCapacityStep) Resize(swept, wanted);
}

uint64_t BlockTable::BytesMax(size_t buckets, uint64_t live_max, uint64_t round) {
  // A bucket has room for CapacityFor(n), or for a share and a step more, where n is the number of
  // its entries that were live at some moment since it was last swept. All these entries were live
  // when the round of sweeping began, or were inserted during it. What CapacityFor and the sweep
  // add besides their shares fits into the smallest allocation.
  static_assert((kFirstTags + kCapacityStep) * kPostingBytes - kFirstTags * sizeof(uint16_t) <=
                kPostingsBytesMin);
  const uint64_t postings = live_max + round;
  const uint64_t grown = postings + postings / kSpareShare;
  const uint64_t places = grown + grown / kSpareShare;
  return buckets * (sizeof(Bucket) + kPostingsBytesMin + kAllocationBytes) + places * kPostingBytes;
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
  assert(capacity >= bucket.size);
  Bucket resized{};
  resized.size = bucket.size;
  resized.capacity = static_cast<uint32_t>(capacity);
  if (capacity > 0) {
    resized.postings = new std::byte[PostingsBytes(capacity)];
    posting_bytes_ += PostingsBytes(capacity) + kAllocationBytes;
  }
  for (size_t age = 0; age < bucket.size; ++age) {
    const size_t place = bucket.PlaceOf(age);
    resized.tag(age) = bucket.tag(place);
    resized.ids()[age] = bucket.ids()[place];
  }
  if (bucket.capacity > 0) posting_bytes_ -= PostingsBytes(bucket.capacity) + kAllocationBytes;
  delete[] std::exchange(bucket, resized).postings;
}

}  // namespace neardup
