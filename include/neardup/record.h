// A record as the filter sees it: where it stands, when it happened, its payload.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neardup {

/// What the index keeps of a Position: 65,536 inputs, and 2^48 records of each.
inline constexpr uint32_t kInputMax = 0xFFFF;
inline constexpr int64_t kOffsetMax = (int64_t{1} << 48) - 1;

/// Where a record stands. `input` is the caller's number for an input partition (topic and
/// partition, or a file), 0 to kInputMax; `offset` is the record's place in it, 0 to kOffsetMax.
/// Two records never share a Position.
struct Position {
  uint32_t input = 0;
  int64_t offset = 0;

  auto operator<=>(const Position&) const = default;
};

/// One record, borrowed: the views must outlive the call they are passed to.
struct RecordView {
  Position position;
  /// Milliseconds since 1970-01-01 UTC. Replaced by the time field where one is configured.
  int64_t time_ms = 0;
  /// The JSON payload; nullopt is Kafka's null value (a tombstone), "" is zero bytes.
  std::optional<std::string_view> value;
};

}  // namespace neardup
