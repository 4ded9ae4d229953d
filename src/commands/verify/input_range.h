// Which part of the inputs a command looks at (from and to a time, or offsets), and where the
// outputs of that part begin.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

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

// Finds where the outputs of a part of the inputs begin, without reading all outputs.

/// One search in one output partition. Its records come from one input partition, in order of the
/// offsets of their origins.
struct OutputSearch {
  InputPartition output;
  int64_t begin = 0;  ///< the output's records are in [begin, end)
  int64_t end = 0;
  int64_t origin_offset = 0;
  /// Every output before it has an origin below origin_offset. From at most kOutputSearchSlack
  /// offsets later on, no output has a smaller origin.
  int64_t found = 0;
  /// seq of the first output from found + kOutputSearchSlack on; UINT64_MAX if there is none.
  uint64_t seq_behind = UINT64_MAX;
};

/// The search ends when only this many offsets are left: reading them costs less than a step.
inline constexpr int64_t kOutputSearchSlack = 1000;

/// Runs all searches at the same time, each by halving. Skips records without a neardup header.
Result<void> SearchOutputs(Source& source, std::span<OutputSearch> searches);

}  // namespace neardup
