#include "index/page_supply.h"

#include <system_error>
#include <utility>

namespace neardup {

PageMemory PageSupply::Take() {
  if (spare_.data() != nullptr) return std::exchange(spare_, PageMemory());
  return next_.valid() ? next_.get() : PageMemory(block_bytes_, pages_);
}

void PageSupply::Give(PageMemory block) {
  if (!next_.valid()) spare_ = std::move(block);
}

void PageSupply::Prepare() {
  if (spare_.data() != nullptr || next_.valid()) return;
  try {
    next_ = std::async(std::launch::async, [bytes = block_bytes_, pages = pages_] {
      PageMemory memory(bytes, pages);
      memory.Touch();
      return memory;
    });
  } catch (const std::system_error&) {  // no thread available: Take takes the memory itself
  }
}

}  // namespace neardup
