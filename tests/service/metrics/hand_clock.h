// A clock that a test moves by hand.
#pragma once

#include <cstdint>

#include "stream/lane/ports.h"

namespace neardup {

class HandClock : public Clock {
 public:
  int64_t WallMs() const override { return now_ms; }
  int64_t SteadyMs() const override { return now_ms; }
  void SleepMs(int64_t ms) override { now_ms += ms; }

  int64_t now_ms = 1'700'000'000'000;
};

}  // namespace neardup
