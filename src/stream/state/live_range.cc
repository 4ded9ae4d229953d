#include "stream/state/live_range.h"

#include <algorithm>
#include <utility>

#include "detect/filter/watermark.h"
#include "detect/index/entry_store.h"

namespace neardup {
namespace {

/// With this many rows, neighbours are joined.
constexpr size_t kRowsMax = 8192;

}  // namespace

void LiveRange::Add(int64_t changelog_offset, uint64_t entries, int64_t time_max_ms) {
  entries_ += entries;
  // The index keeps an event time below its range as a later one, and so forgets the entry later.
  if (entries > 0) time_max_ms = std::max(time_max_ms, StoredEntry::KeptTime(time_max_ms));
  if (rows_.size() == kRowsMax) JoinNeighbours();
  rows_.push_back({changelog_offset, entries, time_max_ms});
}

void LiveRange::Add(int64_t changelog_offset, const Delta& delta) {
  if (delta.fresh) {
    rows_.clear();
    entries_ = 0;
  }
  int64_t time_max_ms = INT64_MIN;
  for (const Entry& entry : delta.entries) time_max_ms = std::max(time_max_ms, entry.time_ms);
  Add(changelog_offset, delta.entries.size(), time_max_ms);
  DropDead(std::min(delta.horizon_ms, HorizonAt(delta.watermark_ms, window_)),
           std::max(delta.entries_max, window_.entries_max));
}

void LiveRange::JoinNeighbours() {
  std::deque<Row> joined;
  for (size_t i = 0; i < rows_.size(); i += 2) {
    joined.push_back(rows_[i]);
    if (i + 1 == rows_.size()) break;
    joined.back().entries += rows_[i + 1].entries;
    joined.back().time_max_ms = std::max(joined.back().time_max_ms, rows_[i + 1].time_max_ms);
  }
  rows_ = std::move(joined);
}

void LiveRange::DropDead(int64_t horizon_ms, uint64_t entries_max) {
  while (rows_.size() > 1) {
    const Row& oldest = rows_.front();
    const bool pushed_out = entries_ - oldest.entries >= entries_max;
    if (!pushed_out && oldest.time_max_ms >= horizon_ms) return;
    entries_ -= oldest.entries;
    rows_.pop_front();
  }
}

}  // namespace neardup
