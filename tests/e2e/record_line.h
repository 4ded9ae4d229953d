// A record as one line of text: partition, timestamp in milliseconds, key, value and headers,
// separated by tabs. A cell is `-` (null) or 0x and hex digits; headers are name=cell joined by
// `;`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/ports.h"

namespace neardup {

/// Without the line feed.
std::string AsLine(int32_t partition, const Message& message);

/// A record that owns its bytes.
struct LineRecord {
  int32_t partition = 0;
  int64_t timestamp_ms = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;

  /// Borrows from this record.
  Message AsMessage() const;
};

Result<LineRecord> ParseLine(std::string_view line);

}  // namespace neardup
