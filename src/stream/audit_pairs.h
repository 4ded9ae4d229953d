// All pairs of records that are near each other in content and in time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace neardup {

struct PairRecord {
  uint64_t simhash = 0;
  int64_t time_ms = 0;
  uint32_t index = 0;  ///< the caller's
};

/// Calls `visit` once for each pair of records with a Hamming distance of at most `distance_max`
/// (0 to 7) and times at most `window_ms` apart; in no particular order.
///
/// By the pigeonhole principle: cut into distance_max + 2 blocks, two blocks of a pair are equal.
/// So for each two blocks the records are sorted by them and then by time, and compared with their
/// neighbours inside the window. Shares nothing with the index it is there to check.
void ForEachNearPair(std::vector<PairRecord> records, int distance_max, int64_t window_ms,
                     const std::function<void(uint32_t, uint32_t)>& visit);

}  // namespace neardup
