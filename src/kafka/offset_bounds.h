// Which offsets partitions hold now.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kafka/kafka_log.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/delta.h"

namespace neardup {

struct OffsetBounds {
  int64_t begin = 0;
  /// One behind the last record, those of open transactions too; so it may lie behind what a reader
  /// of committed records can reach now.
  int64_t end = 0;
};

/// One row per partition.
Result<std::vector<OffsetBounds>> QueryOffsetBounds(const KafkaOptions& options,
                                                    std::span<const InputPartition> partitions,
                                                    const KafkaLog& log);

}  // namespace neardup
