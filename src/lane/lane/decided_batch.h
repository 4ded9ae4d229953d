// A batch on its way through the lane: polled, then decided, then published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lane/batch_reader.h"
#include "neardup/verdict.h"
#include "state/groups.h"
#include "state/route.h"

namespace neardup {

struct DecidedRecord {
  Verdict verdict;
  uint64_t seq = 0;
  /// Size of key, value and headers.
  size_t bytes = 0;
  /// RoutedRecord::by_reference.
  bool by_reference = false;
  /// It fits into its output only if it is compressed: RoutedRecord::alone.
  bool alone = false;
  Route route = Route::kUnique;
  /// What became of a duplicate in its group, if the lane has groups (RoutingOptions::has_groups).
  std::optional<JoinedGroup> joined{};
};

/// The first records of the batch are decided, and the first of these are published.
struct DecidedBatch {
  Batch batch;
  std::vector<DecidedRecord> decided;
  size_t published = 0;

  size_t size() const { return batch.messages.size(); }
  bool is_decided() const { return decided.size() == size(); }
  /// Drops all records and keeps the memory for the next batch.
  void Clear() {
    batch.messages.clear();
    decided.clear();
    published = 0;
  }
};

}  // namespace neardup
