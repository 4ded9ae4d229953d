#include "stream/audit_pairs.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <tuple>

namespace neardup {
namespace {

/// The masks of every two of `blocks` blocks that together cover 64 bits.
std::vector<uint64_t> TwoBlockMasks(int blocks) {
  std::vector<uint64_t> single;
  for (int i = 0; i < blocks; ++i) {
    const int begin = 64 * i / blocks;
    const int end = 64 * (i + 1) / blocks;
    single.push_back(((uint64_t{1} << (end - begin)) - 1) << begin);
  }
  std::vector<uint64_t> masks;
  for (size_t i = 0; i < single.size(); ++i) {
    for (size_t j = i + 1; j < single.size(); ++j) masks.push_back(single[i] | single[j]);
  }
  return masks;
}

/// Wraps around only when the true difference is beyond any window.
uint64_t TimeApart(int64_t earlier_ms, int64_t later_ms) {
  return static_cast<uint64_t>(later_ms) - static_cast<uint64_t>(earlier_ms);
}

}  // namespace

void ForEachNearPair(std::vector<PairRecord> records, int distance_max, int64_t window_ms,
                     const std::function<void(uint32_t, uint32_t)>& visit) {
  assert(distance_max >= 0 && distance_max <= 7 && window_ms >= 0);
  const std::vector<uint64_t> masks = TwoBlockMasks(distance_max + 2);
  for (size_t m = 0; m < masks.size(); ++m) {
    const uint64_t mask = masks[m];
    std::sort(records.begin(), records.end(), [mask](const PairRecord& a, const PairRecord& b) {
      return std::tuple(a.simhash & mask, a.time_ms) < std::tuple(b.simhash & mask, b.time_ms);
    });
    for (size_t i = 0; i < records.size(); ++i) {
      for (size_t j = i + 1; j < records.size(); ++j) {
        const uint64_t differing = records[i].simhash ^ records[j].simhash;
        if ((differing & mask) != 0 ||
            TimeApart(records[i].time_ms, records[j].time_ms) > static_cast<uint64_t>(window_ms)) {
          break;
        }
        if (std::popcount(differing) > distance_max) continue;
        // A pair that agrees in more than two blocks is met again: its first mask reports it.
        const auto first = std::find_if(masks.begin(), masks.end(),
                                        [&](uint64_t other) { return (differing & other) == 0; });
        if (first == masks.begin() + static_cast<std::ptrdiff_t>(m)) {
          visit(records[i].index, records[j].index);
        }
      }
    }
  }
}

}  // namespace neardup
