// Which part of a changelog still holds entries that a lane may need.
#pragma once

#include <cstdint>
#include <deque>

#include "neardup/options.h"
#include "state/delta.h"

namespace neardup {

/// Fed with what is in the changelog, in order. Keeps a bounded number of rows, so that the answer
/// is late by a small part of the whole.
class LiveRange {
 public:
  /// `window`: this instance's own; where the deltas name a longer one or more entries, theirs
  /// counts.
  explicit LiveRange(const WindowOptions& window) : window_(window) {}

  /// `changelog_offset`: that of the first record of these entries. time_max_ms: INT64_MIN if there
  /// are none.
  void Add(int64_t changelog_offset, uint64_t entries, int64_t time_max_ms);
  /// A delta, and the horizon and bounds it names.
  void Add(int64_t changelog_offset, const Delta& delta);

  /// No entry below this changelog offset is needed any more. The newest row always is; 0 before
  /// the first.
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
