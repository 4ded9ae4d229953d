// A record as the filter sees it: its position, its time and its payload.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace neardup {

struct ReadOutcome;

/// The largest values of a Position: 65,536 inputs, and 2^48 records in each.
inline constexpr uint32_t kInputMax = 0xFFFF;
inline constexpr int64_t kOffsetMax = (int64_t{1} << 48) - 1;

/// Names a record. No two records may share a position.
struct Position {
  /// The caller's number for an input partition or a file, 0 to kInputMax.
  uint32_t input = 0;
  /// The place of the record in its input, 0 to kOffsetMax.
  int64_t offset = 0;

  auto operator<=>(const Position&) const = default;
};

/// One record, borrowed: `value` must outlive the call that the record is passed to.
struct RecordView {
  Position position;
  /// Milliseconds since 1970-01-01 UTC. If RecordOptions::time_field is set, that field of the
  /// payload gives the event time instead.
  int64_t time_ms = 0;
  /// The JSON payload. nullopt: a null value (a tombstone), which is not the same as "".
  std::optional<std::string_view> value;
  /// Not null: the payload is no JSON, and whoever decodes it could not. The record is a dead
  /// letter for this reason, and `value` holds the bytes as they came.
  const ReadOutcome* unreadable = nullptr;
};

}  // namespace neardup
