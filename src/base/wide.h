// Whether loops over text and hashes may use AVX-512, and what those loops share.
#pragma once

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
/// Compiles one function for the instructions that UsesWide() has found. Such a function must be
/// called only if UsesWide() is true.
#define NEARDUP_WIDE_FUNCTION                                                                   \
  __attribute__((                                                                               \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi," \
             "bmi2,lzcnt,popcnt")))
#else
#define NEARDUP_WIDE 0
#endif

#include <cstddef>
#include <cstdint>

namespace neardup {

/// True if this processor has AVX-512 with VBMI2, BITALG and GFNI (Intel servers since 2021, AMD
/// since 2022). Each loop that
/// asks has a portable form with the same results.
bool UsesWide();

/// For tests: false makes UsesWide() false on every processor, true lets it tell the truth again.
/// It changes what is done from now on.
void AllowWide(bool allowed);

#if NEARDUP_WIDE

/// Eight numbers of 64 bits, and eight bits that choose among them.
inline constexpr size_t kWideNumbers = 8;

/// Chooses the first `count` of eight numbers, all if there are more.
constexpr __mmask8 FirstOfEight(size_t count) {
  return static_cast<__mmask8>(count >= kWideNumbers ? 0xFF : (1U << count) - 1);
}

/// value ^ value >> shift
template <int kShift>
NEARDUP_WIDE_FUNCTION inline __m512i WideFold(__m512i value) {
  return _mm512_xor_si512(value, _mm512_srli_epi64(value, kShift));
}

NEARDUP_WIDE_FUNCTION inline __m512i WideTimes(__m512i value, uint64_t factor) {
  return _mm512_mullo_epi64(value, _mm512_set1_epi64(static_cast<int64_t>(factor)));
}

/// Mix64 of eight numbers.
NEARDUP_WIDE_FUNCTION inline __m512i WideMix64(__m512i value) {
  value = WideTimes(WideFold<30>(value), 0xBF58476D1CE4E5B9);
  value = WideTimes(WideFold<27>(value), 0x94D049BB133111EB);
  return WideFold<31>(value);
}

#endif

}  // namespace neardup
