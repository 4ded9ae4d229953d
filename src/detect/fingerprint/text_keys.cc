#include "detect/fingerprint/text_keys.h"

#include <algorithm>
#include <array>

#include "detect/base/hash.h"
#include "detect/base/simd.h"

namespace neardup {
namespace {

constexpr size_t kRanks = 8;

/// Triples are ranked in rows of this many.
constexpr size_t kRow = 64;
/// Whole registers are stored at the end of a row.
constexpr size_t kWideRoom = 8;

uint64_t Rank(uint64_t triple) { return Mix64(triple + 2); }

#if NEARDUP_WIDE

/// AVX2 compares only numbers with a sign. This maps numbers without one to them and back, and
/// keeps their order.
NEARDUP_AVX2_FUNCTION inline __m256i WithSign(__m256i numbers) {
  return _mm256_xor_si256(numbers, _mm256_set1_epi64x(INT64_MIN));
}
NEARDUP_AVX2_FUNCTION inline __m256i Smaller(__m256i a, __m256i b) {
  return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}
NEARDUP_AVX2_FUNCTION inline __m256i Larger(__m256i a, __m256i b) {
  return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

#endif

/// The smallest distinct ranks added so far, ascending; UINT64_MAX where there are fewer.
class SmallestRanks {
 public:
  SmallestRanks() { ranks_.fill(UINT64_MAX); }

  void Add(std::span<const uint64_t> added) {
#if NEARDUP_WIDE
    if (UsesAvx512()) return AddAvx512(added);
    if (UsesAvx2()) return AddAvx2(added);
#endif
    for (const uint64_t rank : added) AddPortable(rank);
  }
  uint64_t largest() const { return ranks_.back(); }
  const std::array<uint64_t, kRanks>& ranks() const { return ranks_; }

 private:
  /// Without branches, because nobody can foretell whether and where a rank is taken.
  void AddPortable(uint64_t rank) {
    for (uint64_t& kept : ranks_) {
      const uint64_t larger = kept == rank ? UINT64_MAX : std::max(kept, rank);
      kept = std::min(kept, rank);
      rank = larger;
    }
  }

#if NEARDUP_WIDE
  /// Every rank above the new one moves up by one place. So a place gets the larger of the new rank
  /// and its lower neighbour, unless what it holds is smaller.
  NEARDUP_AVX2_FUNCTION void AddAvx2(std::span<const uint64_t> added) {
    static_assert(kRanks == 2 * kAvx2Numbers);
    constexpr int kUp = 0b10'01'00'11;
    __m256i low = WithSign(Load256(ranks_.data()));
    __m256i high = WithSign(Load256(ranks_.data() + kAvx2Numbers));
    for (const uint64_t rank : added) {
      const __m256i ranks = WithSign(_mm256_set1_epi64x(static_cast<int64_t>(rank)));
      const __m256i equal =
          _mm256_or_si256(_mm256_cmpeq_epi64(low, ranks), _mm256_cmpeq_epi64(high, ranks));
      if (_mm256_testz_si256(equal, equal) == 0) continue;
      const __m256i low_up = _mm256_permute4x64_epi64(low, kUp);
      const __m256i high_up = _mm256_permute4x64_epi64(high, kUp);
      const __m256i smallest = _mm256_blend_epi32(low_up, ranks, 0b00000011);
      high = Smaller(high, Larger(_mm256_blend_epi32(high_up, low_up, 0b00000011), ranks));
      low = Smaller(low, Larger(smallest, ranks));
    }
    Store256(ranks_.data(), WithSign(low));
    Store256(ranks_.data() + kAvx2Numbers, WithSign(high));
  }

  NEARDUP_AVX512_FUNCTION void AddAvx512(std::span<const uint64_t> added) {
    static_assert(kRanks == kAvx512Numbers);
    __m512i kept = _mm512_loadu_si512(ranks_.data());
    for (const uint64_t rank : added) {
      const __m512i ranks = _mm512_set1_epi64(static_cast<int64_t>(rank));
      if (_mm512_cmpeq_epu64_mask(kept, ranks) != 0) continue;
      const __mmask8 larger = _mm512_cmpgt_epu64_mask(kept, ranks);
      const auto place = static_cast<__mmask8>(larger & -larger);
      kept = _mm512_mask_alignr_epi64(kept, larger, kept, kept, kRanks - 1);
      kept = _mm512_mask_mov_epi64(kept, place, ranks);
    }
    _mm512_storeu_si512(ranks_.data(), kept);
  }
#endif

  std::array<uint64_t, kRanks> ranks_;
};

/// Copies the triples of a row whose rank is below `bound` to `below`. Returns how many.
size_t FindBelowPortable(std::span<const uint64_t> row, uint64_t bound, uint64_t* below) {
  size_t count = 0;
  for (const uint64_t triple : row) {
    below[count] = triple;
    count += Rank(triple) < bound;
  }
  return count;
}

}  // namespace
}  // namespace neardup

#define NEARDUP_LOOPS "detect/fingerprint/text_keys.inc"
#include "detect/base/each_level.inc"

namespace neardup {
namespace {

size_t FindBelow(std::span<const uint64_t> row, uint64_t bound, uint64_t* below) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return avx512::FindBelow(row, bound, below);
  if (UsesAvx2()) return avx2::FindBelow(row, bound, below);
#endif
  return FindBelowPortable(row, bound, below);
}

/// The smallest ranks of uncommon triples, of those below `bound`.
SmallestRanks RanksBelow(uint64_t bound, std::span<const uint64_t> triples, const Model& model) {
  SmallestRanks smallest;
  uint64_t below[kRow + kWideRoom];
  for (size_t at = 0; at < triples.size(); at += kRow) {
    const auto row = triples.subspan(at, std::min(kRow, triples.size() - at));
    const size_t count = FindBelow(row, std::min(bound, smallest.largest()), below);
    size_t uncommon = 0;
    for (const uint64_t triple : std::span(below).first(count)) {
      const bool common = !model.common.empty() &&
                          std::binary_search(model.common.begin(), model.common.end(), triple);
      below[uncommon] = Rank(triple);
      uncommon += !common;
    }
    smallest.Add(std::span(below).first(uncommon));
  }
  return smallest;
}

/// Of different triples, about twice as many ranks as needed are below this bound.
uint64_t LikelyBound(size_t triples) {
  return triples <= 2 * kRanks ? UINT64_MAX : UINT64_MAX / triples * (2 * kRanks);
}

}  // namespace

ProbedKeys ChooseTextKeys(std::span<const uint64_t> triples, const Model& model) {
  const uint64_t bound = LikelyBound(triples.size());
  SmallestRanks smallest = RanksBelow(bound, triples, model);
  if (smallest.largest() == UINT64_MAX && bound != UINT64_MAX) {
    smallest = RanksBelow(UINT64_MAX, triples, model);
  }
  ProbedKeys keys;
  for (const uint64_t rank : smallest.ranks()) {
    if (rank == UINT64_MAX) break;
    const uint32_t key = std::max(static_cast<uint32_t>(Mix64(rank) >> 32), uint32_t{1});
    const auto chosen = keys.keys();
    if (std::find(chosen.begin(), chosen.end(), key) == chosen.end()) keys.Add(key);
  }
  return keys;
}

}  // namespace neardup
