// Hash64 of many short words at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace neardup {

/// HashWords may read this many bytes from the end of a word on; they must be readable, and are
/// ignored.
inline constexpr size_t kBytesReadBeyondWord = 8;

/// Computes Hash64 with `seed` of words that stand in `text` one after the other, with one byte
/// between them. The first begins at `begin`, and ends[i] is where word i ends. `hashes` has room
/// for a hash of each. No word is empty.
void HashWords(const char* text, uint64_t begin, std::span<const uint64_t> ends, uint64_t seed,
               uint64_t* hashes);

}  // namespace neardup
