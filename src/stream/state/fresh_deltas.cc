#include "stream/state/fresh_deltas.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "detect/base/random.h"
#include "detect/filter/remembered_entries.h"
#include "detect/filter/watermark.h"

namespace neardup {

int64_t HorizonAfter(const Delta& last, const WindowOptions& window) {
  const int64_t by_watermark = HorizonAt(last.watermark_ms, window);
  if (last.horizon_ms == INT64_MIN) return by_watermark;
  const int64_t longer_ms = std::max<int64_t>(0, window.window_ms - last.window_ms);
  const bool in_range = last.horizon_ms >= INT64_MIN + longer_ms;
  return std::max(by_watermark, in_range ? last.horizon_ms - longer_ms : INT64_MIN);
}

FreshDeltaCutter::FreshDeltaCutter(Delta empty, uint64_t writer_before, Sink sink)
    : empty_(std::move(empty)), sink_(std::move(sink)) {
  assert(empty_.entries.empty() && empty_.groups.empty());
  assert(empty_.seq_first == empty_.seq_last + 1 && empty_.writer != 0);
  empty_.fresh = false;
  empty_.writer_before = empty_.writer;
  empty_.entries_live = 0;
  open_ = empty_;
  open_.fresh = true;
  open_.writer_before = writer_before;
  empty_.learned.clear();
}

Result<void> FreshDeltaCutter::CloseWhenFull() {
  if (bytes_ < kDeltaBytesTarget) return {};
  return Close();
}

Result<void> FreshDeltaCutter::Close() {
  Delta full = std::exchange(open_, empty_);
  open_.entries_live = entries_;
  bytes_ = 0;
  return sink_(std::move(full));
}

Result<void> FreshDeltaCutter::Add(Entry entry) {
  NEARDUP_TRY(CloseWhenFull());
  bytes_ += kEncodedEntryBytesMax;
  open_.entries.push_back(std::move(entry));
  open_.entries_live = ++entries_;
  return {};
}

Result<void> FreshDeltaCutter::Add(const NumberedGroup& group) {
  NEARDUP_TRY(CloseWhenFull());
  bytes_ += kEncodedGroupBytesMax;
  open_.groups.push_back({group, entries_ - 1 - group.number});
  return {};
}

Delta EndOfBeginning(Delta begun) {
  assert(begun.beginning.unfinished);
  begun.beginning.unfinished = false;
  begun.fresh = false;
  begun.writer_before = begun.writer;
  begun.learned.clear();
  begun.entries.clear();
  begun.groups.clear();
  return begun;
}

Result<std::vector<Delta>> FreshDeltas(const FilterOptions& options, const Delta& last,
                                       std::span<const FingerprintedRecord> records,
                                       std::span<const NumberedGroup> groups) {
  assert(records.size() <= options.window.entries_max);
  Delta empty = last;
  empty.entries.clear();
  empty.groups.clear();
  empty.learned.clear();
  empty.spec = FingerprintSpec(options);
  empty.writer = DrawId();
  if (empty.log_id == 0) empty.log_id = empty.writer;
  empty.seq_first = empty.settings_seq = last.seq_last + 1;
  ++empty.epoch;
  empty.horizon_ms = HorizonAfter(last, options.window);
  empty.window_ms = options.window.window_ms;
  empty.entries_max = options.window.entries_max;
  empty.distance_max = options.match.distance_max;
  [[maybe_unused]] const int64_t horizon_ms = empty.horizon_ms;
  std::vector<Delta> deltas;
  FreshDeltaCutter cutter(std::move(empty), last.writer, [&deltas](Delta&& delta) -> Result<void> {
    deltas.push_back(std::move(delta));
    return {};
  });
  // Remember chooses the text keys of an entry.
  RememberedEntries entries(options);
  for (const FingerprintedRecord& record : records) {
    assert(record.outcome.comparable() && record.outcome.time_ms >= horizon_ms);
    NEARDUP_TRY(cutter.Add(entries.Remember(record, record.outcome.time_ms)));
  }
  for (const NumberedGroup& group : groups) NEARDUP_TRY(cutter.Add(group));
  NEARDUP_TRY(cutter.Close());
  return deltas;
}

}  // namespace neardup
