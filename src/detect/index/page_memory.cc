#include "detect/index/page_memory.h"

#include <sys/mman.h>

#include <new>
#include <system_error>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kHugePageBytes = size_t{2} << 20;

size_t RoundedUp(size_t value, size_t step) { return (value + step - 1) / step * step; }

}  // namespace

PageMemory::PageMemory(size_t bytes, Pages pages) : bytes_(RoundedUp(bytes, kPageBytes)) {
  // Huge pages must be aligned: map more, and return what is left over at both ends.
  const size_t spare = bytes_ >= kHugePageBytes ? kHugePageBytes : 0;
  void* const mapped =
      mmap(nullptr, bytes_ + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  if (spare == 0) {
    data_ = mapped;
    return;
  }
  const auto address = reinterpret_cast<uintptr_t>(mapped);
  const size_t before = RoundedUp(address, kHugePageBytes) - address;
  auto* const begin = static_cast<std::byte*>(mapped) + before;
  if (before > 0) munmap(mapped, before);
  if (before < spare) munmap(begin + bytes_, spare - before);
  data_ = begin;
  // Best effort: if it fails, the pages are small.
  if (pages == Pages::kLarge) madvise(data_, bytes_, MADV_HUGEPAGE);
}

void PageMemory::Touch() const {
  auto* const bytes = static_cast<volatile std::byte*>(data_);
  for (size_t at = 0; at < bytes_; at += kPageBytes) bytes[at] = std::byte{0};
}

PageMemory::~PageMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

PageMemory::PageMemory(PageMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

PageMemory& PageMemory::operator=(PageMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

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
