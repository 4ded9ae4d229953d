// What a program has taken from the allocator. Only the program allocation_test has it.
#pragma once

#include <atomic>
#include <cstdint>

namespace neardup {

/// Calls of operator new by all threads, since the start.
extern std::atomic<uint64_t> counted_allocations;
/// Bytes allocated by operator new and not freed, including the overhead of the allocator.
extern std::atomic<uint64_t> allocated_bytes;

}  // namespace neardup
