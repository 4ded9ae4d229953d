// Equal blocks of memory, one of which is ready before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>

#include "index/page_memory.h"

namespace neardup {

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
