// What a snapshot costs: its bytes, writing it, restoring from it, and what deciding notices of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/report.h"
#include "neardup/result.h"

namespace neardup {

/// With uniform codes and 3 text keys an entry, in a folder made in `parent` and removed again.
/// snapshot_pause_ms is the longest single decision, of very
/// many, while a thread writes 1 % more and syncs it; decide_longest_ms_alone the same without.
Result<std::vector<Measurement>> MeasureSnapshot(uint64_t entries,
                                                 const std::filesystem::path& parent);

}  // namespace neardup
