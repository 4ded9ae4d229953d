#include "state/fresh_deltas.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/random_id.h"
#include "filter/entry_index.h"
#include "filter/match_scheme.h"
#include "filter/watermark.h"
#include "state/lane_state.h"

namespace neardup {

int64_t HorizonAfter(const Delta& last, const WindowOptions& window) {
  const int64_t by_watermark = HorizonAt(last.watermark_ms, window);
  if (last.horizon_ms == INT64_MIN) return by_watermark;
  const int64_t longer_ms = std::max<int64_t>(0, window.window_ms - last.window_ms);
  const bool in_range = last.horizon_ms >= INT64_MIN + longer_ms;
  return std::max(by_watermark, in_range ? last.horizon_ms - longer_ms : INT64_MIN);
}

Result<std::vector<Delta>> FreshDeltas(const FilterOptions& options, const Delta& last,
                                       std::span<const FingerprintedRecord> records,
                                       std::span<const NumberedGroup> groups) {
  assert(records.size() <= options.window.entries_max);
  Delta empty = last;
  empty.entries.clear();
  empty.groups.clear();
  empty.fresh = false;
  empty.learned.clear();
  empty.spec = FingerprintSpec(options);
  empty.writer = empty.writer_before = DrawId();
  if (empty.log_id == 0) empty.log_id = empty.writer;
  empty.seq_first = empty.settings_seq = last.seq_last + 1;
  ++empty.epoch;
  empty.horizon_ms = HorizonAfter(last, options.window);
  empty.window_ms = options.window.window_ms;
  empty.entries_max = options.window.entries_max;
  empty.distance_max = options.match.distance_max;
  empty.entries_live = 0;
  std::vector<Delta> deltas = {empty};
  deltas[0].fresh = true;
  deltas[0].writer_before = last.writer;
  // The index chooses which text keys an entry remembers.
  NEARDUP_ASSIGN(const ChosenScheme chosen, ChooseScheme(options.scheme));
  const std::unique_ptr<EntryIndex> index = EntryIndex::New(options, chosen.scheme);
  size_t bytes = 0;
  uint64_t entries = 0;
  for (const FingerprintedRecord& record : records) {
    assert(record.outcome.comparable() && record.outcome.time_ms >= empty.horizon_ms);
    if (bytes >= kDeltaBytesTarget) {
      deltas.push_back(empty);
      bytes = 0;
    }
    Entry entry = index->Remember(record, record.outcome.time_ms);
    bytes += EncodedBytesMax(entry);
    deltas.back().entries.push_back(std::move(entry));
    deltas.back().entries_live = ++entries;
  }
  for (const NumberedGroup& group : groups) {
    if (bytes >= kDeltaBytesTarget) {
      deltas.push_back(empty);
      deltas.back().entries_live = entries;
      bytes = 0;
    }
    bytes += kEncodedGroupBytesMax;
    deltas.back().groups.push_back({group, entries - 1 - group.number});
  }
  return deltas;
}

}  // namespace neardup
