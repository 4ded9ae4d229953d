// Writes a history as neardup.spark does, without Spark: decides the records that topics hold now.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "neardup/options.h"
#include "neardup/result.h"
#include "stream/state/route.h"

namespace neardup {

/// A record of the history, in the order of the decisions.
struct HistoryRecord {
  InputPartition partition;
  int64_t offset = 0;
  int64_t timestamp_ms = 0;
  std::string value;
};

/// Each part holds up to `part_records` records of a lane.
Result<void> WriteHistory(const FilterOptions& filter, int32_t lanes, size_t part_records,
                          std::vector<HistoryRecord> records, const std::filesystem::path& folder);

}  // namespace neardup
