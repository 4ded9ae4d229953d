#include "state/fresh_deltas.h"

#include <cassert>
#include <utility>

#include "filter/entry_index.h"
#include "filter/match_scheme.h"
#include "filter/watermark.h"
#include "state/lane_state.h"

namespace neardup {

Result<std::vector<Delta>> FreshDeltas(const FilterOptions& options, const Delta& last,
                                       std::span<const FingerprintedRecord> records) {
  assert(records.size() <= options.window.entries_max);
  Delta empty = last;
  empty.entries.clear();
  empty.fresh = false;
  empty.learned.clear();
  empty.spec = FingerprintSpec(options);
  empty.seq_first = empty.settings_seq = last.seq_last + 1;
  ++empty.epoch;
  empty.horizon_ms = HorizonAt(last.watermark_ms, options.window);
  empty.window_ms = options.window.window_ms;
  empty.entries_max = options.window.entries_max;
  empty.distance_max = options.match.distance_max;
  empty.entries_live = 0;
  std::vector<Delta> deltas = {empty};
  deltas[0].fresh = true;
  // The index chooses which text keys an entry remembers.
  NEARDUP_ASSIGN(const ChosenScheme chosen, ChooseScheme(options.scheme));
  EntryIndex index(options, chosen.scheme);
  size_t bytes = 0;
  uint64_t entries = 0;
  for (const FingerprintedRecord& record : records) {
    assert(record.outcome.comparable() && record.outcome.time_ms >= empty.horizon_ms);
    if (bytes >= kDeltaBytesTarget) {
      deltas.push_back(empty);
      bytes = 0;
    }
    Entry entry = index.Remember(record, record.outcome.time_ms);
    bytes += EncodedBytesMax(entry);
    deltas.back().entries.push_back(std::move(entry));
    deltas.back().entries_live = ++entries;
  }
  return deltas;
}

}  // namespace neardup
