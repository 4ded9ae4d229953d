// The index as the service uses it: batches are looked up ahead and then decided in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/index_workload.h"
#include "index/index.h"

namespace neardup {

class TimedIndex {
 public:
  using Record = IndexWorkload::Record;

  TimedIndex(const MatchOptions& match, uint64_t entries_max,
             const std::optional<BlockLayout>& layout = {})
      : index_({.match = match, .entries_max = entries_max, .layout = layout}),
        entries_max_(entries_max) {}

  /// Looks up only; returns how many are near an earlier one.
  uint64_t Find(std::span<const Record> records);
  /// Looks up, and inserts what is near nothing; the oldest entries go in portions.
  uint64_t Decide(std::span<const Record> records);
  /// Decides one record that was not looked up ahead.
  bool DecideAlone(const Record& record);
  void Insert(const Record& record);

  /// The queries of records, to be looked up by whoever likes.
  static std::vector<IndexQuery> QueriesOf(std::span<const Record> records);

  const Index& index() const { return index_; }
  uint64_t candidates() const { return index_.candidates() + candidates_; }
  /// Entries that were read for it, at least: what a copy met may be the same entry several times.
  uint64_t entries_read() const { return entries_read_; }

 private:
  void LookUp(std::span<const Record> records);

  Index index_;
  uint64_t entries_max_;
  uint64_t candidates_ = 0;
  uint64_t entries_read_ = 0;
  std::vector<IndexQuery> queries_;
  std::vector<Nearest> found_;
};

}  // namespace neardup
