// `neardup demo`: the whole lane over a broker in this process and a made-up stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "neardup/options.h"

namespace neardup {

struct DemoArguments {
  size_t records = 20'000;
  uint64_t seed = 1;
  int distance_max = FilterOptions().match.distance_max;
};

/// Needs nothing installed or running. Prints what was found beside what was planted; returns the
/// exit code. A stop signal ends it early with kExitOk.
int DemoCommand(const DemoArguments& arguments);

}  // namespace neardup
