// Random numbers that distinguish things that different processes make.
#pragma once

#include <cstdint>

namespace neardup {

/// 64 random bits of the system, never 0. Two calls, even on different machines, practically never
/// give the same number. From any thread.
uint64_t DrawId();

}  // namespace neardup
