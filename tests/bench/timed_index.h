// The index as the service uses it: records are looked up in batches, then decided in order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/index_workload.h"
#include "detect/index/index.h"

namespace neardup {

class TimedIndex {
 public:
  using Record = IndexWorkload::Record;

  TimedIndex(const MatchOptions& match, uint64_t entries_max,
             const std::optional<BlockLayout>& layout = {})
      : index_({.match = match, .entries_max = entries_max, .layout = layout}),
        entries_max_(entries_max) {}

  /// Looks up records; returns how many are near an earlier one.
  uint64_t Find(std::span<const Record> records);
  /// Looks up records and inserts those that are near no other; expires the oldest entries in
  /// portions. Returns how many are near an earlier one.
  uint64_t Decide(std::span<const Record> records);
  /// The same for one record, without a batch.
  bool DecideAlone(const Record& record);
  void Insert(const Record& record);

  /// The queries that look up these records.
  static std::vector<IndexQuery> QueriesOf(std::span<const Record> records);

  const Index& index() const { return index_; }
  uint64_t candidates() const { return index_.candidates() + candidates_; }
  /// Entries that were read for the candidates, at least: the candidates of a copy may be the same
  /// entry several times.
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
