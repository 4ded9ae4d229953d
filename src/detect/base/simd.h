// Which SIMD instructions loops over text and hashes may use, and what those loops share.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#if defined(__clang__)
#include <immintrin.h>
#else
// GCC 12 sees uninitialised variables in this header that are not there (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif
#define NEARDUP_WIDE 1
#define NEARDUP_AVX2 "avx2,bmi,bmi2,popcnt"
#define NEARDUP_AVX512                                                                          \
  "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi,bmi2,lzcnt," \
  "popcnt"
/// Compiles one function for the instructions of a SimdLevel. Such a function must be called only
/// if UsesAvx2() or UsesAvx512() is true.
#define NEARDUP_AVX2_FUNCTION __attribute__((target(NEARDUP_AVX2)))
#define NEARDUP_AVX512_FUNCTION __attribute__((target(NEARDUP_AVX512)))
// NEARDUP_BEGIN_AVX2 and NEARDUP_BEGIN_AVX512 compile all functions up to NEARDUP_END_LEVEL in this
// way.
#define NEARDUP_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define NEARDUP_BEGIN_LEVEL(instructions) \
  NEARDUP_PRAGMA(clang attribute push(__attribute__((target(instructions))), apply_to = function))
#define NEARDUP_END_LEVEL NEARDUP_PRAGMA(clang attribute pop)
#else
#define NEARDUP_BEGIN_LEVEL(instructions) \
  NEARDUP_PRAGMA(GCC push_options) NEARDUP_PRAGMA(GCC target(instructions))
#define NEARDUP_END_LEVEL NEARDUP_PRAGMA(GCC pop_options)
#endif
#define NEARDUP_BEGIN_AVX2 NEARDUP_BEGIN_LEVEL(NEARDUP_AVX2)
#define NEARDUP_BEGIN_AVX512 NEARDUP_BEGIN_LEVEL(NEARDUP_AVX512)
#else
#define NEARDUP_WIDE 0
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace neardup {

/// Forms of a loop, the slowest first. All forms have the same results.
enum class SimdLevel : uint8_t {
  kPortable,
  kAvx2,    ///< with BMI2: Intel since 2013, AMD since 2017
  kAvx512,  ///< with VBMI2, BITALG and GFNI: Intel servers since 2021, AMD since 2022
};

/// See UsedSimdLevel.
extern std::atomic<SimdLevel> used_simd_level;

/// The highest level that this processor has and LimitSimdLevel allows. A loop that has no form for
/// it uses the next one below. While the program's static objects are made, it may be kPortable.
inline SimdLevel UsedSimdLevel() { return used_simd_level.load(std::memory_order_relaxed); }

inline bool UsesAvx2() { return UsedSimdLevel() >= SimdLevel::kAvx2; }
inline bool UsesAvx512() { return UsedSimdLevel() >= SimdLevel::kAvx512; }

/// For tests and benchmarks: from now on, no level above `highest` is used.
void LimitSimdLevel(SimdLevel highest);

const char* Name(SimdLevel level);

#if NEARDUP_WIDE

/// Numbers of 64 bits in a register.
inline constexpr size_t kAvx2Numbers = 4;
inline constexpr size_t kAvx512Numbers = 8;

/// Chooses the first `count` of eight numbers, all if there are more.
constexpr __mmask8 FirstOfEight(size_t count) {
  return static_cast<__mmask8>(count >= kAvx512Numbers ? 0xFF : (1U << count) - 1);
}

NEARDUP_AVX2_FUNCTION inline __m256i Load256(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
NEARDUP_AVX2_FUNCTION inline void Store256(void* to, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}

#endif

}  // namespace neardup

#if NEARDUP_WIDE

NEARDUP_BEGIN_AVX2
namespace neardup::avx2 {

/// For each choice of four numbers of 64 bits, the permutation of 32-bit halves that moves the
/// chosen ones to the front.
inline constexpr std::array<std::array<uint32_t, 8>, 16> kToFront = [] {
  std::array<std::array<uint32_t, 8>, 16> to_front{};
  for (uint32_t chosen = 0; chosen < to_front.size(); ++chosen) {
    size_t at = 0;
    for (uint32_t i = 0; i < kAvx2Numbers; ++i) {
      if ((chosen >> i & 1) == 0) continue;
      to_front[chosen][at++] = 2 * i;
      to_front[chosen][at++] = 2 * i + 1;
    }
  }
  return to_front;
}();

struct Pack {
  static constexpr size_t kCount = kAvx2Numbers;

  /// One answer for each number.
  struct Mask {
    __m256i all_or_none;

    bool any() const { return _mm256_testz_si256(all_or_none, all_or_none) == 0; }
    /// The lowest bit is the answer for the first number.
    uint32_t bits() const {
      return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(all_or_none)));
    }
  };

  static Pack Load(const uint64_t* from) { return {Load256(from)}; }
  static Pack Each(uint64_t number) { return {_mm256_set1_epi64x(static_cast<int64_t>(number))}; }
  void Store(uint64_t* to) const { Store256(to, numbers); }
  /// Stores the chosen numbers side by side, and arbitrary ones after them: kCount altogether.
  /// Returns how many are chosen.
  size_t StoreChosen(Mask mask, uint64_t* to) const {
    const uint32_t chosen = mask.bits();
    Store256(to, _mm256_permutevar8x32_epi32(numbers, Load256(kToFront[chosen].data())));
    return static_cast<size_t>(std::popcount(chosen));
  }

  __m256i numbers;
};

inline Pack operator+(Pack a, Pack b) { return {_mm256_add_epi64(a.numbers, b.numbers)}; }
inline Pack operator-(Pack a, Pack b) { return {_mm256_sub_epi64(a.numbers, b.numbers)}; }
inline Pack operator&(Pack a, Pack b) { return {_mm256_and_si256(a.numbers, b.numbers)}; }
inline Pack operator|(Pack a, Pack b) { return {_mm256_or_si256(a.numbers, b.numbers)}; }
inline Pack operator^(Pack a, Pack b) { return {_mm256_xor_si256(a.numbers, b.numbers)}; }
inline Pack operator<<(Pack a, int bits) { return {_mm256_slli_epi64(a.numbers, bits)}; }
inline Pack operator>>(Pack a, int bits) { return {_mm256_srli_epi64(a.numbers, bits)}; }
/// Shifts each number by a number of bits of its own. 64 bits or more give 0.
inline Pack operator>>(Pack a, Pack bits) { return {_mm256_srlv_epi64(a.numbers, bits.numbers)}; }
/// Compares numbers with a sign. It is also right for numbers below 2^63.
inline Pack::Mask operator>(Pack a, Pack b) { return {_mm256_cmpgt_epi64(a.numbers, b.numbers)}; }
/// Compares numbers without a sign. With AVX2 it takes longer than operator>.
inline Pack::Mask IsAbove(Pack a, Pack b) {
  const Pack sign = Pack::Each(uint64_t{1} << 63);
  return (a ^ sign) > (b ^ sign);
}
/// The products of the lower halves.
inline Pack HalfProduct(Pack a, Pack b) { return {_mm256_mul_epu32(a.numbers, b.numbers)}; }
/// The lower 64 bits of each product. AVX2 multiplies only 32 bits, so three such products are
/// added.
inline Pack operator*(Pack a, Pack b) {
  const Pack cross = HalfProduct(a >> 32, b) + HalfProduct(a, b >> 32);
  return HalfProduct(a, b) + (cross << 32);
}
inline Pack Choose(Pack::Mask mask, Pack yes, Pack no) {
  return {_mm256_blendv_epi8(no.numbers, yes.numbers, mask.all_or_none)};
}
/// The absolute values of numbers with a sign.
inline Pack Magnitudes(Pack a) {
  const Pack sign = {_mm256_cmpgt_epi64(_mm256_setzero_si256(), a.numbers)};
  return (a ^ sign) - sign;
}
inline Pack ReversedBytes(Pack a) {
  return {
      _mm256_shuffle_epi8(a.numbers, _mm256_set_epi64x(0x08090A0B0C0D0E0F, 0x0001020304050607,
                                                       0x08090A0B0C0D0E0F, 0x0001020304050607))};
}

}  // namespace neardup::avx2
NEARDUP_END_LEVEL

NEARDUP_BEGIN_AVX512
namespace neardup::avx512 {

/// As avx2::Pack.
struct Pack {
  static constexpr size_t kCount = kAvx512Numbers;

  struct Mask {
    __mmask8 set;

    bool any() const { return set != 0; }
    uint32_t bits() const { return set; }
  };

  static Pack Load(const uint64_t* from) { return {_mm512_loadu_si512(from)}; }
  static Pack Each(uint64_t number) { return {_mm512_set1_epi64(static_cast<int64_t>(number))}; }
  void Store(uint64_t* to) const { _mm512_storeu_si512(to, numbers); }
  size_t StoreChosen(Mask mask, uint64_t* to) const {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(mask.set, numbers));
    return static_cast<size_t>(std::popcount(mask.bits()));
  }

  __m512i numbers;
};

inline Pack operator+(Pack a, Pack b) { return {_mm512_add_epi64(a.numbers, b.numbers)}; }
inline Pack operator-(Pack a, Pack b) { return {_mm512_sub_epi64(a.numbers, b.numbers)}; }
inline Pack operator&(Pack a, Pack b) { return {_mm512_and_si512(a.numbers, b.numbers)}; }
inline Pack operator|(Pack a, Pack b) { return {_mm512_or_si512(a.numbers, b.numbers)}; }
inline Pack operator^(Pack a, Pack b) { return {_mm512_xor_si512(a.numbers, b.numbers)}; }
inline Pack operator<<(Pack a, int bits) {
  return {_mm512_slli_epi64(a.numbers, static_cast<unsigned>(bits))};
}
inline Pack operator>>(Pack a, int bits) {
  return {_mm512_srli_epi64(a.numbers, static_cast<unsigned>(bits))};
}
inline Pack operator>>(Pack a, Pack bits) { return {_mm512_srlv_epi64(a.numbers, bits.numbers)}; }
inline Pack::Mask operator>(Pack a, Pack b) {
  return {_mm512_cmpgt_epi64_mask(a.numbers, b.numbers)};
}
inline Pack::Mask IsAbove(Pack a, Pack b) {
  return {_mm512_cmpgt_epu64_mask(a.numbers, b.numbers)};
}
inline Pack HalfProduct(Pack a, Pack b) { return {_mm512_mul_epu32(a.numbers, b.numbers)}; }
inline Pack operator*(Pack a, Pack b) { return {_mm512_mullo_epi64(a.numbers, b.numbers)}; }
inline Pack Choose(Pack::Mask mask, Pack yes, Pack no) {
  return {_mm512_mask_mov_epi64(no.numbers, mask.set, yes.numbers)};
}
inline Pack Magnitudes(Pack a) { return {_mm512_abs_epi64(a.numbers)}; }
inline Pack ReversedBytes(Pack a) {
  return {
      _mm512_shuffle_epi8(a.numbers, _mm512_set4_epi64(0x08090A0B0C0D0E0F, 0x0001020304050607,
                                                       0x08090A0B0C0D0E0F, 0x0001020304050607))};
}

}  // namespace neardup::avx512
NEARDUP_END_LEVEL

#endif
