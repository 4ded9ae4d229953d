// Texts of a JSON Lines file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

struct RecordTexts {
  /// One a record: its selected fields, in the order they were asked for, with LF between.
  std::vector<std::string> texts;
  /// Records the service would not compare either: no JSON, or none of the fields.
  uint64_t refused = 0;
};

/// `path` may be compressed with gzip. A field is a top-level name or a JSON Pointer; without any,
/// all are taken.
Result<RecordTexts> ReadTexts(const std::string& path, const std::vector<std::string>& fields);

}  // namespace neardup
