// Runs a test with the portable loops and with those that AllowWide chooses on this processor.
#pragma once

#include <gtest/gtest.h>

#include "base/wide.h"

namespace neardup {

template <class Test>
void BothWays(const Test& test) {
  for (const bool wide : {false, true}) {
    SCOPED_TRACE(wide ? "loops of this processor" : "portable loops");
    AllowWide(wide);
    test();
  }
}

}  // namespace neardup
