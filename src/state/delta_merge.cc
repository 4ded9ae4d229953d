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
  std::vector<Entry> entries = std::move(delta.entries);
  entries.insert(entries.end(), std::make_move_iterator(next.entries.begin()),
                 std::make_move_iterator(next.entries.end()));
  delta = std::move(next);
  delta.seq_first = seq_first;
  delta.entries = std::move(entries);
}

}  // namespace neardup
