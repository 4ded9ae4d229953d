#include "detect/base/word_hashes.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "detect/base/simd.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace neardup {
namespace {

void HashWordsPortable(const char* text, uint64_t begin, std::span<const uint64_t> ends,
                       uint64_t seed, uint64_t* hashes) {
  for (const uint64_t end : ends) {
    *hashes++ = XXH3_64bits_withSeed(text + begin, end - begin, seed);
    begin = end + 1;
  }
}

#if NEARDUP_WIDE

/// The longest word that hashes side by side can take.
constexpr uint64_t kShortMax = 16;

// XXH3 flips bits of short words by these, and multiplies by these.

uint64_t FlipUpTo3(uint64_t seed) {
  return (XXH_readLE32(XXH3_kSecret) ^ XXH_readLE32(XXH3_kSecret + 4)) + seed;
}
uint64_t FlipUpTo8(uint64_t seed) {
  seed ^= uint64_t{XXH_swap32(static_cast<uint32_t>(seed))} << 32;
  return (XXH_readLE64(XXH3_kSecret + 8) ^ XXH_readLE64(XXH3_kSecret + 16)) - seed;
}
uint64_t FlipLow(uint64_t seed) {
  return (XXH_readLE64(XXH3_kSecret + 24) ^ XXH_readLE64(XXH3_kSecret + 32)) + seed;
}
uint64_t FlipHigh(uint64_t seed) {
  return (XXH_readLE64(XXH3_kSecret + 40) ^ XXH_readLE64(XXH3_kSecret + 48)) - seed;
}
constexpr uint64_t kFactorUpTo8 = 0x9FB21C651E98DF25;
constexpr uint64_t kFactorUpTo16 = 0x165667919E3779F9;

uint64_t Load(const char* bytes) {
  uint64_t loaded = 0;
  std::memcpy(&loaded, bytes, sizeof loaded);
  return loaded;
}

/// What the hashes of a row of words are made from. It is collected before the row is hashed,
/// because gathering it with one instruction takes longer (Intel's mitigation of "gather data
/// sampling").
struct Row {
  static constexpr size_t kMax = 64;
  static constexpr size_t kBeyond = 7;  ///< read, and ignored, after the last word

  uint64_t sizes[kMax + kBeyond];
  uint64_t lows[kMax + kBeyond];   ///< the first eight bytes of each word
  uint64_t highs[kMax + kBeyond];  ///< its last eight bytes; arbitrary if there are fewer
};

#endif

}  // namespace
}  // namespace neardup

#define NEARDUP_LOOPS "detect/base/word_hashes.inc"
#include "detect/base/each_level.inc"

namespace neardup {
namespace {

#if NEARDUP_WIDE

/// The hashes of words of up to 16 bytes; HashWordsInRows hashes the others again.
using HashRow = void(const Row& row, size_t count, uint64_t seed, uint64_t* hashes);

void HashWordsInRows(HashRow& hash_row, const char* text, uint64_t begin,
                     std::span<const uint64_t> ends, uint64_t seed, uint64_t* hashes) {
  Row row;
  while (!ends.empty()) {
    const size_t count = std::min(ends.size(), Row::kMax);
    uint64_t long_words = 0;
    const uint64_t row_begin = begin;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t size = ends[i] - begin;
      row.sizes[i] = size;
      row.lows[i] = Load(text + begin);
      row.highs[i] = Load(text + begin + std::max<uint64_t>(size, 8) - 8);
      long_words |= uint64_t{size > kShortMax} << i;
      begin = ends[i] + 1;
    }
    std::fill_n(row.sizes + count, Row::kBeyond, 0);
    hash_row(row, count, seed, hashes);
    for (; long_words != 0; long_words &= long_words - 1) {
      const auto i = static_cast<size_t>(std::countr_zero(long_words));
      const uint64_t word = i == 0 ? row_begin : ends[i - 1] + 1;
      hashes[i] = XXH3_64bits_withSeed(text + word, ends[i] - word, seed);
    }
    ends = ends.subspan(count);
    hashes += count;
  }
}

#endif

}  // namespace

void HashWords(const char* text, uint64_t begin, std::span<const uint64_t> ends, uint64_t seed,
               uint64_t* hashes) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return HashWordsInRows(avx512::HashRow, text, begin, ends, seed, hashes);
  if (UsesAvx2()) return HashWordsInRows(avx2::HashRow, text, begin, ends, seed, hashes);
#endif
  HashWordsPortable(text, begin, ends, seed, hashes);
}

}  // namespace neardup
