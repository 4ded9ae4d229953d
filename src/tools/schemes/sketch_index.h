// Remembers records of a comparison scheme, and finds the one nearest to a sketch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "neardup/record.h"
#include "neardup/verdict.h"
#include "schemes/scheme.h"

namespace neardup {

struct SketchedRecord {
  Sketch sketch;
  int64_t time_ms = 0;
  Position origin;
  uint64_t exact = 0;  ///< SchemeTexts::exact
};

/// The counterpart of Index for comparison schemes, written to be simple and not to be fast. It
/// never forgets a record.
///
/// The candidates of a look-up are the records that share a key with the one that is sought, or all
/// records with Scheme::scans_all. A candidate is a match if Scheme::Distance accepts it and its
/// event time is inside the window. Only one thread may use it.
class SketchIndex {
 public:
  /// `scheme` must outlive the index.
  explicit SketchIndex(const Scheme& scheme) : scheme_(scheme) {}

  void Insert(SketchedRecord record);
  /// Finds the best match: the smallest distance, then the oldest record. `window_ms`: 0 or more.
  std::optional<Match> FindNearest(const SketchedRecord& sought, int64_t window_ms) const;

  uint64_t size() const { return records_.size(); }
  /// Memory held by records, keys and the table of keys, without the overhead of the allocator.
  uint64_t bytes() const;

 private:
  /// The numbers of all records that FindNearest compares, in ascending order.
  std::vector<size_t> CandidatesOf(const Sketch& sought) const;

  const Scheme& scheme_;
  std::vector<SketchedRecord> records_;
  std::unordered_map<uint64_t, std::vector<size_t>> records_by_key_;
};

}  // namespace neardup
