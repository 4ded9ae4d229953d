// Runs a test with each form of the loops that this processor can run.
#pragma once

#include <gtest/gtest.h>

#include "detect/base/simd.h"

namespace neardup {

template <class Test>
void AtEachSimdLevel(const Test& test) {
  for (const SimdLevel level : {SimdLevel::kPortable, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    LimitSimdLevel(level);
    if (UsedSimdLevel() != level) break;  // the processor does not have it
    SCOPED_TRACE(Name(level));
    test();
  }
}

}  // namespace neardup
