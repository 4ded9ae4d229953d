// Numbers that tell things apart which different processes make.
#pragma once

#include <cstdint>

namespace neardup {

/// 64 random bits of the system, never 0. Two calls give the same number only by a coincidence that
/// can be neglected, also on different machines. From any thread.
uint64_t DrawId();

}  // namespace neardup
