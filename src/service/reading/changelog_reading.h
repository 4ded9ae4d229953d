// Reads a range of a changelog. The lane may be running, and may purge what is read.
#pragma once

#include <cstdint>
#include <functional>

#include "lane/ports.h"
#include "neardup/result.h"
#include "state/delta.h"

namespace neardup {

/// Hands the deltas from `begin` up to `end` to `visit`, until it returns false. kNotFound if the
/// next delta is purged; Changelog::next_offset says which. kUnavailable if no record comes for a
/// minute.
Result<void> ReadDeltas(Changelog& changelog, int64_t begin, int64_t end,
                        const std::function<bool(Delta)>& visit);

/// Hands the deltas from the oldest up to `end` to `visit`, until it returns false. Passes over
/// deltas that are purged before they are read.
Result<void> ReadOldestDeltas(Changelog& changelog, int64_t end,
                              const std::function<bool(Delta)>& visit);

}  // namespace neardup
