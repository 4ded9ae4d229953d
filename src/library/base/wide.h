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

#endif

}  // namespace neardup
