// How much memory a service takes at most, part by part: what a container's limit must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "service/config/settings.h"

namespace neardup {

struct MemoryRow {
  std::string part;
  uint64_t bytes = 0;
  std::string bound_by;  ///< the settings that it follows from
};

struct MemoryTable {
  std::vector<MemoryRow> rows;
  uint64_t total = 0;
};

/// `cores`: of the machine; they decide when threads.fingerprint is 0.
MemoryTable MemoryOf(const Settings& settings, size_t partitions, size_t cores);

/// The number of partitions that is assumed where it is not known.
inline constexpr size_t kAssumedPartitions = 16;

}  // namespace neardup
