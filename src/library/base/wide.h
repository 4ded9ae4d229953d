// Which SIMD instructions loops over text and hashes may use, and what those loops share.
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
/// Compiles one function for the instructions of a SimdLevel. Such a function must be called only
/// if UsesAvx2() or UsesAvx512() is true.
#define NEARDUP_AVX2_FUNCTION __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define NEARDUP_AVX512_FUNCTION                                                                 \
  __attribute__((                                                                               \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,gfni,bmi," \
             "bmi2,lzcnt,popcnt")))
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
inline constexpr size_t kAvx2Lanes = 4;
inline constexpr size_t kAvx512Lanes = 8;

/// Chooses the first `count` of eight numbers, all if there are more.
constexpr __mmask8 FirstOfEight(size_t count) {
  return static_cast<__mmask8>(count >= kAvx512Lanes ? 0xFF : (1U << count) - 1);
}

NEARDUP_AVX2_FUNCTION inline __m256i Load256(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
NEARDUP_AVX2_FUNCTION inline void Store256(void* to, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}

/// value ^ value >> shift
template <int kShift>
NEARDUP_AVX2_FUNCTION inline __m256i WideFold(__m256i value) {
  return _mm256_xor_si256(value, _mm256_srli_epi64(value, kShift));
}
template <int kShift>
NEARDUP_AVX512_FUNCTION inline __m512i WideFold(__m512i value) {
  return _mm512_xor_si512(value, _mm512_srli_epi64(value, kShift));
}

/// From three products of 32 bits, because AVX2 has no larger ones.
NEARDUP_AVX2_FUNCTION inline __m256i WideTimes(__m256i value, __m256i factor) {
  const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(value, 32), factor),
                                         _mm256_mul_epu32(value, _mm256_srli_epi64(factor, 32)));
  return _mm256_add_epi64(_mm256_mul_epu32(value, factor), _mm256_slli_epi64(cross, 32));
}
NEARDUP_AVX2_FUNCTION inline __m256i WideTimes(__m256i value, uint64_t factor) {
  return WideTimes(value, _mm256_set1_epi64x(static_cast<int64_t>(factor)));
}
NEARDUP_AVX512_FUNCTION inline __m512i WideTimes(__m512i value, uint64_t factor) {
  return _mm512_mullo_epi64(value, _mm512_set1_epi64(static_cast<int64_t>(factor)));
}

/// Mix64 of each number.
NEARDUP_AVX2_FUNCTION inline __m256i WideMix64(__m256i value) {
  value = WideTimes(WideFold<30>(value), 0xBF58476D1CE4E5B9);
  value = WideTimes(WideFold<27>(value), 0x94D049BB133111EB);
  return WideFold<31>(value);
}
NEARDUP_AVX512_FUNCTION inline __m512i WideMix64(__m512i value) {
  value = WideTimes(WideFold<30>(value), 0xBF58476D1CE4E5B9);
  value = WideTimes(WideFold<27>(value), 0x94D049BB133111EB);
  return WideFold<31>(value);
}

#endif

}  // namespace neardup
