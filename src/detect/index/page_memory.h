// Large blocks of memory, taken directly from the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>

namespace neardup {

/// How the system provides memory. It clears a page before it provides it: for 2 MB this takes
/// 0.4 ms, or ten times as long if a virtual machine has to get the page from its host.
enum class Pages : uint8_t {
  kLarge,     ///< pages of 2 MB, if the block is as large: random access costs much less
  kAsNeeded,  ///< pages of 4 KB: for little data that is spread over much memory
};

/// Zeroed memory that begins on a page boundary, and from 2 MB on, on a boundary of 2 MB. The
/// system provides each page when it is first touched.
class PageMemory {
 public:
  /// No memory.
  PageMemory() = default;
  /// Throws std::bad_alloc.
  explicit PageMemory(size_t bytes, Pages pages = Pages::kLarge);
  ~PageMemory();
  PageMemory(PageMemory&& other) noexcept;
  PageMemory& operator=(PageMemory&& other) noexcept;

  /// Touches every page now, so that no later access waits. Call it before the memory is used: it
  /// overwrites bytes.
  void Touch() const;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

// Equal blocks of memory, one of which is ready before it is needed.

/// Hands out blocks of PageMemory of one size. The system may need some milliseconds to clear a
/// block, so a thread can do that ahead of need.
class PageSupply {
 public:
  explicit PageSupply(size_t block_bytes, Pages pages) : block_bytes_(block_bytes), pages_(pages) {}

  /// Throws std::bad_alloc.
  PageMemory Take();
  /// Takes a block back. The block becomes the next one, or is released if a thread already
  /// prepares the next one.
  void Give(PageMemory block);
  /// Has a thread prepare the next block, unless a block is ready or being prepared.
  void Prepare();

  /// Memory that waits here: one block or none.
  uint64_t bytes() const { return spare_.bytes() + (next_.valid() ? block_bytes_ : 0); }

 private:
  size_t block_bytes_;
  Pages pages_;
  PageMemory spare_;
  std::future<PageMemory> next_;
};

}  // namespace neardup
