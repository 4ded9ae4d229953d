#include "index/entry_ring.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace neardup {

namespace {

constexpr uint64_t kSlotsMin = 1024;

}  // namespace

void EntryRing::PushBack(const Entry& entry) {
  if (size() == entries_.size()) Grow();
  simhashes_[end_id_ & mask_] = entry.fingerprint.simhash;
  entries_[end_id_ & mask_] = entry;
  ++end_id_;
}

void EntryRing::TruncateBack(uint64_t end_id) {
  assert(begin_id_ <= end_id && end_id <= end_id_);
  end_id_ = end_id;
}

void EntryRing::TruncateFront(uint64_t begin_id) {
  assert(begin_id_ <= begin_id && begin_id <= end_id_);
  begin_id_ = begin_id;
}

uint64_t EntryRing::bytes() const {
  return simhashes_.capacity() * sizeof(uint64_t) + entries_.capacity() * sizeof(Entry);
}

uint64_t EntryRing::BytesMax(uint64_t size_max) {
  return std::max(kSlotsMin, std::bit_ceil(size_max)) * (sizeof(uint64_t) + sizeof(Entry));
}

void EntryRing::Grow() {
  const uint64_t slots = std::max<uint64_t>(kSlotsMin, entries_.size() * 2);
  std::vector<uint64_t> simhashes(slots);
  std::vector<Entry> entries(slots);
  for (uint64_t id = begin_id_; id != end_id_; ++id) {
    simhashes[id & (slots - 1)] = simhashes_[id & mask_];
    entries[id & (slots - 1)] = entries_[id & mask_];
  }
  simhashes_ = std::move(simhashes);
  entries_ = std::move(entries);
  mask_ = slots - 1;
}

}  // namespace neardup
