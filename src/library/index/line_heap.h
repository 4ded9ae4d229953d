// Memory in whole cache lines, for arrays that grow and shrink by a few lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "index/page_memory.h"
#include "index/page_supply.h"

namespace neardup {

/// An allocator for the postings of an index. It takes chunks from PageMemory, so that a large
/// index lies in large pages, which the allocator of the C library does not use. Look-ups read
/// random lines of it, and with pages of 4 KB the search for the page costs as much as the line.
///
/// Every free span is in the list of its class of lengths. An allocation takes a span of the first
/// class all of whose spans are long enough and returns the rest; a span that becomes free is
/// joined with its free neighbours (a segregated fit, as in Wilson et al., "Dynamic storage
/// allocation", 1995). A chunk goes back to the system when all of it is free. A thread prepares
/// the next chunk when half of the newest one is used, so that few calls wait for the system.
///
/// All functions may be called by several threads at a time.
class LineHeap {
 public:
  static constexpr size_t kLineBytes = 64;
  static constexpr size_t kChunkBytes = size_t{2} << 20;

  LineHeap() = default;
  LineHeap(const LineHeap&) = delete;
  LineHeap& operator=(const LineHeap&) = delete;
  /// Releases all memory.
  ~LineHeap();

  /// Returns memory for one or more lines, with any content. Throws std::bad_alloc.
  std::byte* Take(size_t lines);
  /// Returns memory that Take returned for the same number of lines.
  void Give(std::byte* begin, size_t lines);

  /// Memory of all lines that are taken, in bytes.
  uint64_t taken_bytes() const { return taken_bytes_; }
  /// Memory held, in bytes: also what is free in the chunks.
  uint64_t held_bytes() const;
  /// How much more is held than taken, at most, when so many bytes were taken. This is a measured
  /// share, not a proof: a tenth was free while ten million entries came and went.
  static constexpr uint64_t GapsMax(uint64_t taken_bytes) {
    return taken_bytes / 8 + 3 * kChunkBytes;
  }

 private:
  struct Chunk;
  struct Span;
  static constexpr size_t kClasses = 256;

  static size_t ClassOf(size_t lines);
  static Chunk& ChunkOf(const std::byte* line);
  std::byte* TakeFromChunk(size_t lines);
  std::byte* TakeLarge(size_t lines);
  Span* FindSpan(size_t lines);
  void AddChunk();
  void RemoveChunk(Chunk& chunk);
  void AddSpan(std::byte* begin, size_t lines);
  void RemoveSpan(Span& span);

  mutable std::mutex mutex_;
  std::array<Span*, kClasses> classes_{};
  std::array<uint64_t, kClasses / 64> has_spans_{};  ///< one bit for each class
  Chunk* chunks_ = nullptr;                          ///< a list, the newest first
  uint64_t chunk_count_ = 0;
  uint64_t taken_bytes_ = 0;
  std::map<const std::byte*, PageMemory> large_;
  PageSupply supply_ = PageSupply(kChunkBytes);
};

}  // namespace neardup
