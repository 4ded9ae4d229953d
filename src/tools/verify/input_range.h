// Which part of the inputs a command looks at: from and to a time, or from and to offsets.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "state/input.h"

namespace neardup {

/// Either times, which hold for all partitions, or offsets of the selected partitions.
struct InputRange {
  std::optional<int64_t> from_ms;  ///< Kafka timestamp, milliseconds since 1970
  std::optional<int64_t> to_ms;    ///< the first that is not selected
  std::map<InputPartition, int64_t> from_offsets;
  std::map<InputPartition, int64_t> to_offsets;  ///< the first that is not selected

  bool by_offset() const { return !from_offsets.empty() || !to_offsets.empty(); }
  /// True if all records are selected.
  bool whole() const { return !from_ms && !to_ms && !by_offset(); }
  /// Whether some records of the partition are selected.
  bool names(const InputPartition& partition) const {
    return !by_offset() || from_offsets.contains(partition) || to_offsets.contains(partition);
  }
};

/// The range as a user writes it. `from` and `to` are lists, because an offset is given for each
/// partition.
struct InputRangeText {
  std::vector<std::string> from = {};
  std::vector<std::string> to = {};
  std::string since = {};  ///< empty: none
};

/// A time is 2026-01-31 or 2026-01-31T12:00:00, UTC unless it ends with an offset such as +02:00.
/// An offset is TOPIC/PARTITION/OFFSET. `since` is a time, or a duration before `now_ms`. kConfig
/// names the option.
Result<InputRange> ParseInputRange(const InputRangeText& text, int64_t now_ms);

}  // namespace neardup
