#include "detect/index/entry_store.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace neardup {
namespace {

constexpr uint64_t kMask48 = (uint64_t{1} << 48) - 1;
constexpr int64_t kTimeMaxMs = 253'402'300'799'999;  // the end of the year 9999
constexpr int64_t kTimeMinMs = kTimeMaxMs - static_cast<int64_t>(kMask48);

}  // namespace

StoredEntry::StoredEntry(const Fingerprint& fingerprint, int64_t time_ms, const Position& origin)
    : simhash_(fingerprint.simhash),
      order_(fingerprint.order),
      exact_(static_cast<uint16_t>(fingerprint.exact)),
      time_(static_cast<uint64_t>(KeptTime(time_ms) - kTimeMinMs) & kMask48),
      input_(static_cast<uint16_t>(origin.input)),
      offset_(static_cast<uint64_t>(origin.offset) & kMask48) {
  assert(origin.input <= kInputMax && origin.offset >= 0 && origin.offset <= kOffsetMax);
}

int64_t StoredEntry::KeptTime(int64_t time_ms) {
  return std::clamp(time_ms, kTimeMinMs, kTimeMaxMs);
}

int64_t StoredEntry::time_ms() const { return kTimeMinMs + static_cast<int64_t>(time_); }

void EntryStore::PushBack(const StoredEntry& entry, uint64_t numbers) {
  const uint64_t chunk = ChunkOf(end_id_);
  if (chunk - ChunkOf(begin_id_) == chunk_count_) AddChunk(chunk);
  Entries(chunk)[end_id_ % kChunkEntries] = entry;
  if (with_numbers_) Numbers(chunk)[end_id_ % kChunkEntries] = numbers;
  ++end_id_;
  if (end_id_ % kChunkEntries == kChunkEntries / 2) supply_.Prepare();
}

void EntryStore::TruncateBack(uint64_t end_id) {
  assert(begin_id_ <= end_id && end_id <= end_id_);
  end_id_ = end_id;
}

void EntryStore::TruncateFront(uint64_t begin_id) {
  assert(begin_id_ <= begin_id && begin_id <= end_id_);
  for (uint64_t chunk = ChunkOf(begin_id_); chunk < ChunkOf(begin_id); ++chunk) {
    supply_.Give(std::exchange(chunks_[chunk & (chunks_.size() - 1)], PageMemory()));
    --chunk_count_;
  }
  begin_id_ = begin_id;
}

/// `chunk` is the one after those that are held.
void EntryStore::AddChunk(uint64_t chunk) {
  if (chunk_count_ == chunks_.size()) {
    std::vector<PageMemory> chunks(2 * chunks_.size());
    for (uint64_t number = chunk - chunk_count_; number < chunk; ++number) {
      chunks[number & (chunks.size() - 1)] = std::move(chunks_[number & (chunks_.size() - 1)]);
    }
    chunks_ = std::move(chunks);
  }
  chunks_[chunk & (chunks_.size() - 1)] = supply_.Take();
  ++chunk_count_;
}

uint64_t EntryStore::bytes() const {
  return chunk_count_ * ChunkBytes(with_numbers_) + supply_.bytes() +
         chunks_.size() * sizeof(PageMemory);
}

uint64_t EntryStore::BytesMax(uint64_t entries_max, bool with_numbers) {
  // The first and the last chunk may be used in part.
  const uint64_t chunks = entries_max / kChunkEntries + 2;
  const uint64_t places = std::max<uint64_t>(4, std::bit_ceil(chunks));
  // One chunk is spare or on its way; while chunks_ doubles, the old one still exists.
  return (chunks + 1) * ChunkBytes(with_numbers) + (places + places / 2) * sizeof(PageMemory);
}

}  // namespace neardup
