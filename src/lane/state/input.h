// The input partitions of a lane, and how far each one is decided.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace neardup {

/// A partition of an input topic; of a file, {path, 0}.
struct InputPartition {
  std::string topic;
  int32_t partition = 0;

  auto operator<=>(const InputPartition&) const = default;
};

/// How far an input partition is decided.
struct InputProgress {
  InputPartition partition;
  int64_t next_offset = 0;  ///< every record below is decided
  int64_t time_ms =
      INT64_MIN;  ///< largest event time seen, milliseconds since 1970; INT64_MIN if none

  bool operator==(const InputProgress&) const = default;
};

}  // namespace neardup
