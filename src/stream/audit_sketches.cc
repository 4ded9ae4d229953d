#include "stream/audit_sketches.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace neardup {
namespace {

/// Numbers of records, those of one key together.
std::unordered_map<uint64_t, std::vector<uint32_t>> ByKey(
    const Scheme& scheme, const std::vector<SketchRecord>& records) {
  std::unordered_map<uint64_t, std::vector<uint32_t>> groups;
  for (uint32_t number = 0; number < records.size(); ++number) {
    if (scheme.scans_all()) {
      groups[0].push_back(number);
    } else {
      for (const uint64_t key : records[number].sketch->keys) groups[key].push_back(number);
    }
  }
  return groups;
}

}  // namespace

void ForEachSketchPair(const Scheme& scheme, const std::vector<SketchRecord>& records,
                       int64_t window_ms,
                       const std::function<void(uint32_t, uint32_t, int)>& visit) {
  std::set<std::pair<uint32_t, uint32_t>> visited;
  auto groups = ByKey(scheme, records);
  for (auto& [key, group] : groups) {
    std::sort(group.begin(), group.end(),
              [&](uint32_t a, uint32_t b) { return records[a].time_ms < records[b].time_ms; });
    for (size_t i = 0; i < group.size(); ++i) {
      for (size_t j = i + 1; j < group.size(); ++j) {
        // Wraps around only when the true difference is beyond any window.
        const auto apart_ms = static_cast<uint64_t>(records[group[j]].time_ms) -
                              static_cast<uint64_t>(records[group[i]].time_ms);
        if (apart_ms > static_cast<uint64_t>(window_ms)) break;
        const auto [earlier, later] = std::minmax(group[i], group[j]);
        const auto distance =
            scheme.Distance(records[earlier].sketch->words, records[later].sketch->words);
        if (distance && visited.emplace(earlier, later).second) visit(earlier, later, *distance);
      }
    }
  }
}

}  // namespace neardup
