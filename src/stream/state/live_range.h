// Which part of a changelog still holds entries that a lane may need.
#pragma once

#include <cstdint>
#include <deque>

#include "neardup/options.h"
#include "stream/state/delta.h"

namespace neardup {

/// Takes the deltas of a changelog in order. Keeps a bounded number of rows, so that the answer
/// lags behind by a small part of the range. One owner thread.
class LiveRange {
 public:
  /// `window`: of this instance. Where the deltas name a longer window or more entries, theirs
  /// counts.
  explicit LiveRange(const WindowOptions& window) : window_(window) {}

  /// `changelog_offset`: of the first record that holds these entries. `time_max_ms`: their largest
  /// event time; INT64_MIN if there are none.
  void Add(int64_t changelog_offset, uint64_t entries, int64_t time_max_ms);
  /// Adds the entries of a delta, then drops what its horizon and its entries_max no longer need. A
  /// fresh delta needs nothing before it.
  void Add(int64_t changelog_offset, const Delta& delta);

  /// No entry below this offset of the changelog is needed any more. The newest row is always
  /// needed. 0 before the first row.
  int64_t begin_offset() const { return rows_.empty() ? 0 : rows_.front().changelog_offset; }

 private:
  struct Row {
    int64_t changelog_offset = 0;
    uint64_t entries = 0;
    int64_t time_max_ms = INT64_MIN;
  };
  void JoinNeighbours();
  void DropDead(int64_t horizon_ms, uint64_t entries_max);

  WindowOptions window_;
  std::deque<Row> rows_;
  uint64_t entries_ = 0;
};

}  // namespace neardup
