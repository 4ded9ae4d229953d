#include "state/live_range.h"

#include <algorithm>

#include "filter/watermark.h"
#include "index/entry_store.h"

namespace neardup {
namespace {

/// Rows are joined up to so many entries.
constexpr uint64_t kRowEntries = 4096;
/// And, where there are few entries, up to so many records of the changelog.
constexpr int64_t kRowRecords = 4096;

}  // namespace

void LiveRange::Add(int64_t changelog_offset, uint64_t entries, int64_t time_max_ms) {
  entries_ += entries;
  const bool joins = !rows_.empty() && rows_.back().entries + entries <= kRowEntries &&
                     changelog_offset - rows_.back().changelog_offset <= kRowRecords;
  if (!joins) rows_.push_back({changelog_offset, 0, INT64_MIN});
  // An index takes what lies before its range for younger than it is.
  if (entries > 0) time_max_ms = std::max(time_max_ms, StoredEntry::KeptTime(time_max_ms));
  Row& row = rows_.back();
  row.entries += entries;
  row.time_max_ms = std::max(row.time_max_ms, time_max_ms);
}

void LiveRange::Add(int64_t changelog_offset, const Delta& delta) {
  int64_t time_max_ms = INT64_MIN;
  for (const Entry& entry : delta.entries) time_max_ms = std::max(time_max_ms, entry.time_ms);
  Add(changelog_offset, delta.entries.size(), time_max_ms);
  DropDead(std::min(delta.horizon_ms, HorizonAt(delta.watermark_ms, window_)),
           std::max(delta.entries_max, window_.entries_max));
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
