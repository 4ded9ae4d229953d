#include "base/wide.h"

#include <atomic>

namespace neardup {

namespace {

bool HasWide() {
#if NEARDUP_WIDE
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("gfni") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

std::atomic<bool>& Answer() {
  static std::atomic<bool> answer = HasWide();
  return answer;
}

}  // namespace

bool UsesWide() { return Answer().load(std::memory_order_relaxed); }

void AllowWide(bool allowed) { Answer().store(allowed && HasWide(), std::memory_order_relaxed); }

}  // namespace neardup
