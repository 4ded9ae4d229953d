#include "schemes/sketch_index.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "index/match.h"

namespace neardup {

void SketchIndex::Insert(SketchedRecord record) {
  if (scheme_.scans_all()) record.sketch.keys = {};
  for (const uint64_t key : record.sketch.keys) records_by_key_[key].push_back(records_.size());
  records_.push_back(std::move(record));
}

std::optional<Match> SketchIndex::FindNearest(const SketchedRecord& sought,
                                              int64_t window_ms) const {
  std::optional<Match> best;
  // Numbers ascend, so the oldest of equally near records stays the best.
  for (const size_t number : CandidatesOf(sought.sketch)) {
    const SketchedRecord& record = records_[number];
    if (!WithinWindow(record.time_ms, sought.time_ms, window_ms)) continue;
    const std::optional<int> distance = scheme_.Distance(record.sketch.words, sought.sketch.words);
    if (!distance || (best && best->distance <= *distance)) continue;
    const MatchKind kind = record.exact == sought.exact ? MatchKind::kExact : MatchKind::kNear;
    best = Match{record.origin, record.time_ms, *distance, kind, false, number};
    if (*distance == 0) break;
  }
  return best;
}

std::vector<size_t> SketchIndex::CandidatesOf(const Sketch& sought) const {
  std::vector<size_t> numbers;
  if (scheme_.scans_all()) {
    numbers.resize(records_.size());
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    return numbers;
  }
  for (const uint64_t key : sought.keys) {
    const auto found = records_by_key_.find(key);
    if (found == records_by_key_.end()) continue;
    numbers.insert(numbers.end(), found->second.begin(), found->second.end());
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

uint64_t SketchIndex::bytes() const {
  uint64_t bytes = records_by_key_.bucket_count() * sizeof(void*);
  for (const SketchedRecord& record : records_) bytes += sizeof(record) + record.sketch.bytes();
  for (const auto& [key, numbers] : records_by_key_) {
    bytes += sizeof(void*) + sizeof(key) + sizeof(numbers) + numbers.capacity() * sizeof(size_t);
  }
  return bytes;
}

}  // namespace neardup
