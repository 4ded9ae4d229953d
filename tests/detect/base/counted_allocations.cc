#include "detect/base/counted_allocations.h"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace neardup {

std::atomic<uint64_t> counted_allocations = 0;
std::atomic<uint64_t> allocated_bytes = 0;

namespace {

void* AllocateOrNull(size_t bytes) {
  ++counted_allocations;
  void* const memory = std::malloc(bytes);
  if (memory != nullptr) allocated_bytes += malloc_usable_size(memory) + sizeof(size_t);
  return memory;
}

void* Allocate(size_t bytes) {
  void* const memory = AllocateOrNull(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void Free(void* memory) {
  if (memory == nullptr) return;
  allocated_bytes -= malloc_usable_size(memory) + sizeof(size_t);
  std::free(memory);
}

}  // namespace
}  // namespace neardup

void* operator new(size_t bytes) { return neardup::Allocate(bytes); }
void* operator new[](size_t bytes) { return neardup::Allocate(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return neardup::AllocateOrNull(bytes);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return neardup::AllocateOrNull(bytes);
}
void operator delete(void* memory) noexcept { neardup::Free(memory); }
void operator delete[](void* memory) noexcept { neardup::Free(memory); }
void operator delete(void* memory, size_t) noexcept { neardup::Free(memory); }
void operator delete[](void* memory, size_t) noexcept { neardup::Free(memory); }
