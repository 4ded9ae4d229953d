// Memory in whole cache lines, for arrays that grow and shrink by a few lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "detect/index/page_memory.h"

namespace neardup {

/// An allocator for the postings of an index. Its chunks are 2 MB, and it asks the system to hold
/// each of them in one large page. Look-ups read random lines, and in pages of 4 KB, finding the
/// page of a line costs as much as reading it.
///
/// A span is a row of free lines. A class is a range of lengths, and has a list of its spans. Up to
/// 64 lines, Take begins its search in the class of the length. Above 64 lines, spans of that class
/// may be too short, so Take begins with the next class. The rest of a span stays free. Give joins
/// the lines with free neighbours (a segregated fit, as in Wilson et al., "Dynamic storage
/// allocation", 1995). A chunk that is wholly free becomes the spare one or goes back to the
/// system. An array above 512 KB has a mapping of its own.
///
/// From the second chunk on, a thread prepares the next one as soon as a chunk is taken, so that
/// Take seldom waits for the system. Several threads may call the member functions at the same
/// time.
class LineHeap {
 public:
  static constexpr size_t kLineBytes = 64;
  static constexpr size_t kChunkBytes = size_t{2} << 20;

  explicit LineHeap(Pages pages = Pages::kLarge) : supply_(kChunkBytes, pages) {}
  LineHeap(const LineHeap&) = delete;
  LineHeap& operator=(const LineHeap&) = delete;
  /// Releases all memory, also what is still taken.
  ~LineHeap();

  /// Returns memory for one or more lines, with any content. Throws std::bad_alloc.
  std::byte* Take(size_t lines);
  /// Frees memory that Take handed out. `lines` must be the number that was given to Take.
  void Give(std::byte* begin, size_t lines);

  /// Memory of all lines that are taken, in bytes.
  uint64_t taken_bytes() const;
  /// All memory that the heap holds, in bytes: what is taken, what is free in the chunks, and the
  /// chunk that is spare or being prepared.
  uint64_t held_bytes() const;
  /// Estimates the most of held_bytes() - taken_bytes() for a heap that never had more than
  /// `taken_bytes` taken. No proof bounds it. At most a tenth was free while ten million entries
  /// came and went; the estimate allows an eighth and three chunks.
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
  PageSupply supply_;
};

}  // namespace neardup
