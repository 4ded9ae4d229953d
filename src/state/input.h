// The input partitions of a lane, and how far each is decided.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace neardup {

struct InputPartition {
  std::string topic;
  int32_t partition = 0;

  auto operator<=>(const InputPartition&) const = default;
};

/// How far an input partition is decided.
struct InputProgress {
  InputPartition partition;
  int64_t next_offset = 0;
  int64_t time_ms = INT64_MIN;  ///< largest event time seen

  bool operator==(const InputProgress&) const = default;
};

}  // namespace neardup
