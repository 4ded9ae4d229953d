// All pairs of records that a scheme takes for duplicates.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fingerprint/scheme.h"

namespace neardup {

struct SketchRecord {
  const Sketch* sketch = nullptr;
  int64_t time_ms = 0;
};

/// `records`: in order of arrival. Calls `visit` with the numbers of the earlier and the later one
/// and their distance, once for each two that share a key (any two where the scheme scans all),
/// have times at most `window_ms` apart, and that Scheme::Distance takes; in no particular order.
/// Costs as much as all look-ups together.
void ForEachSketchPair(const Scheme& scheme, const std::vector<SketchRecord>& records,
                       int64_t window_ms,
                       const std::function<void(uint32_t, uint32_t, int)>& visit);

}  // namespace neardup
