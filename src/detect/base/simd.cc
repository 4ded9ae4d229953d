#include "detect/base/simd.h"

#include <algorithm>

namespace neardup {
namespace {

SimdLevel LevelOfProcessor() {
#if NEARDUP_WIDE
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (!avx2) return SimdLevel::kPortable;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vbmi") &&
                      __builtin_cpu_supports("avx512vbmi2") &&
                      __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("gfni");
  return avx512 ? SimdLevel::kAvx512 : SimdLevel::kAvx2;
#else
  return SimdLevel::kPortable;
#endif
}

}  // namespace

std::atomic<SimdLevel> used_simd_level = LevelOfProcessor();

void LimitSimdLevel(SimdLevel highest) {
  used_simd_level.store(std::min(highest, LevelOfProcessor()), std::memory_order_relaxed);
}

const char* Name(SimdLevel level) {
  constexpr const char* kNames[] = {"portable", "AVX2", "AVX-512"};
  return kNames[static_cast<size_t>(level)];
}

}  // namespace neardup
