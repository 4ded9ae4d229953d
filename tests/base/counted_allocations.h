// Counts what this program takes from the allocator. The program that includes it has its own
// operators new and delete, so exactly one of its files may do so.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace neardup {

/// By all threads, since the start.
inline std::atomic<uint64_t> counted_allocations = 0;

inline void* AllocateOrNull(size_t bytes) {
  ++counted_allocations;
  return std::malloc(bytes);
}

inline void* Allocate(size_t bytes) {
  void* const memory = AllocateOrNull(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace neardup

// Out of line, because GCC takes an inlined `free` after a `new` for a mistake.
[[gnu::noinline]] void* operator new(size_t bytes) { return neardup::Allocate(bytes); }
[[gnu::noinline]] void* operator new[](size_t bytes) { return neardup::Allocate(bytes); }
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return neardup::AllocateOrNull(bytes);
}
[[gnu::noinline]] void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return neardup::AllocateOrNull(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
