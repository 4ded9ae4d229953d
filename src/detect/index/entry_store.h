// The entries of the index in order of arrival, under consecutive numbers.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/index/page_memory.h"
#include "detect/index/processor.h"
#include "neardup/entry.h"

namespace neardup {

// Which entry numbers are alive.

/// The numbers of the live entries, cut to 32 bits. Correct while fewer than 2^32 entries are live
/// and every dead number is dropped before 2^32 further insertions.
struct LiveIds {
  uint32_t begin = 0;
  uint32_t count = 0;

  bool Holds(uint32_t id) const { return id - begin < count; }
};

/// An entry as the index keeps it, in 32 bytes, so that a cache line holds two. It keeps 16 bits of
/// `exact`, which matter only if simhash and order agree in all 128 bits, and event times from the
/// year 1080 to 9999.
class StoredEntry {
 public:
  StoredEntry() = default;
  StoredEntry(const Fingerprint& fingerprint, int64_t time_ms, const Position& origin);

  /// The nearest event time that an entry can keep.
  static int64_t KeptTime(int64_t time_ms);

  uint64_t simhash() const { return simhash_; }
  uint64_t order() const { return order_; }
  bool IsExact(const Fingerprint& sought) const {
    return simhash_ == sought.simhash && order_ == sought.order &&
           exact_ == static_cast<uint16_t>(sought.exact);
  }
  int64_t time_ms() const;
  Position origin() const { return {static_cast<uint32_t>(input_), static_cast<int64_t>(offset_)}; }

 private:
  uint64_t simhash_ = 0;
  uint64_t order_ = 0;
  uint64_t exact_ : 16 = 0;
  uint64_t time_ : 48 = 0;
  uint64_t input_ : 16 = 0;
  uint64_t offset_ : 48 = 0;
};
static_assert(sizeof(StoredEntry) == 32);

/// Holds the entries [begin_id, end_id) in chunks of a fixed size, which are added and dropped as a
/// whole: no entry is ever moved. The numbers of a chunk's entries (Fingerprint::numbers) stand
/// after all its entries, because few comparisons read them.
class EntryStore {
 public:
  static constexpr size_t kChunkEntries = size_t{1} << 16;
  static constexpr size_t ChunkBytes(bool with_numbers) {
    return kChunkEntries * (sizeof(StoredEntry) + (with_numbers ? sizeof(uint64_t) : 0));
  }

  /// Without numbers, those that it is given are dropped.
  EntryStore(uint64_t begin_id, bool with_numbers, Pages pages = Pages::kLarge)
      : begin_id_(begin_id),
        end_id_(begin_id),
        with_numbers_(with_numbers),
        supply_(ChunkBytes(with_numbers), pages) {}

  void PushBack(const StoredEntry& entry, uint64_t numbers);
  /// Forgets the newest entries; `end_id` lies in [begin_id, end_id].
  void TruncateBack(uint64_t end_id);
  /// Forgets the oldest entries; `begin_id` lies in [begin_id, end_id].
  void TruncateFront(uint64_t begin_id);

  uint64_t begin_id() const { return begin_id_; }
  uint64_t end_id() const { return end_id_; }
  uint64_t size() const { return end_id_ - begin_id_; }
  uint64_t bytes() const;
  /// Upper bound of bytes() while at most `entries_max` entries are held.
  static uint64_t BytesMax(uint64_t entries_max, bool with_numbers);

  const StoredEntry& operator[](uint64_t id) const {
    assert(id - begin_id_ < size());
    return Entries(ChunkOf(id))[id % kChunkEntries];
  }
  /// Prefetches what operator[] and numbers() read.
  void Fetch(uint64_t id) const {
    FetchLine(&(*this)[id]);
    if (with_numbers_) FetchLine(&Numbers(ChunkOf(id))[id % kChunkEntries]);
  }
  /// Fingerprint::numbers of the entry.
  uint64_t numbers(uint64_t id) const {
    assert(with_numbers_ && id - begin_id_ < size());
    return Numbers(ChunkOf(id))[id % kChunkEntries];
  }

 private:
  static uint64_t ChunkOf(uint64_t id) { return id / kChunkEntries; }
  StoredEntry* Entries(uint64_t chunk) const {
    return static_cast<StoredEntry*>(chunks_[chunk & (chunks_.size() - 1)].data());
  }
  uint64_t* Numbers(uint64_t chunk) const {
    return reinterpret_cast<uint64_t*>(Entries(chunk) + kChunkEntries);
  }
  void AddChunk(uint64_t chunk);

  uint64_t begin_id_;
  uint64_t end_id_;
  bool with_numbers_;
  /// Chunk c is at index c modulo the size, which is a power of two.
  std::vector<PageMemory> chunks_ = std::vector<PageMemory>(4);
  /// Number of chunks, from the chunk of begin_id_ on. A rollback may leave chunks after end_id_.
  uint64_t chunk_count_ = 0;
  PageSupply supply_;
};

}  // namespace neardup
