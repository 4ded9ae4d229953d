// What a snapshot costs: its size, the time to write it and to restore from it, and the pauses it
// causes in deciding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/program.h"
#include "neardup/result.h"

namespace neardup {

/// Measures a snapshot of `entries` entries with uniform fingerprints and 3 text keys each, in a
/// folder that it makes in `parent` and removes. snapshot_pause_ms is the longest single decision
/// of many (entries / 20 at least) while another thread writes and syncs 1 % more entries;
/// decide_longest_ms_alone is the longest without that thread.
Result<std::vector<Measurement>> MeasureSnapshot(uint64_t entries,
                                                 const std::filesystem::path& parent);

}  // namespace neardup
