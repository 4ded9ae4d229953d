#include "state/delta_merge.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace neardup {
namespace {

/// Of the largest entry of the filter's own scheme, encoded; others count their sketch too.
constexpr size_t kEntryBytes = 64;

size_t EntryBytes(const Delta& delta) {
  size_t bytes = delta.entries.size() * kEntryBytes;
  for (const Entry& entry : delta.entries) bytes += entry.sketch.bytes();
  return bytes;
}

/// The numbers of inputs in entries mean the same in both.
bool InputsGoOn(const Delta& delta, const Delta& next) {
  return delta.inputs.size() <= next.inputs.size() &&
         std::equal(delta.inputs.begin(), delta.inputs.end(), next.inputs.begin(),
                    [](const InputProgress& a, const InputProgress& b) {
                      return a.partition == b.partition;
                    });
}

}  // namespace

bool CanMerge(const Delta& delta, const Delta& next) {
  return next.seq_first == delta.seq_last + 1 && next.lane == delta.lane &&
         next.spec == delta.spec && InputsGoOn(delta, next) &&
         EntryBytes(delta) + EntryBytes(next) <= kDeltaBytesTarget;
}

void Merge(Delta& delta, Delta&& next) {
  assert(CanMerge(delta, next));
  const uint64_t seq_first = delta.seq_first;
  const uint64_t epoch = std::max(delta.epoch, next.epoch);
  // A restart forgets who was idle, and the watermark goes back; what it has let go stays gone.
  const int64_t watermark_ms = std::max(delta.watermark_ms, next.watermark_ms);
  const int64_t horizon_ms = std::max(delta.horizon_ms, next.horizon_ms);
  std::vector<Entry> entries = std::move(delta.entries);
  entries.insert(entries.end(), std::make_move_iterator(next.entries.begin()),
                 std::make_move_iterator(next.entries.end()));
  delta = std::move(next);
  delta.seq_first = seq_first;
  delta.epoch = epoch;
  delta.watermark_ms = watermark_ms;
  delta.horizon_ms = horizon_ms;
  delta.entries = std::move(entries);
}

}  // namespace neardup
