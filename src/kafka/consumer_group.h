// What a consumer group is and has committed, for the commands of an operator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/state/route.h"

namespace neardup {

struct GroupOffset {
  int64_t offset = -1;  ///< -1: none is committed
  std::string note;     ///< the metadata that was committed with it

  bool operator==(const GroupOffset&) const = default;
};

/// The committed offsets of a group, one row per partition. Waits for the end of a transaction that
/// holds some of them.
Result<std::vector<GroupOffset>> GroupOffsets(const KafkaOptions& options, const std::string& group,
                                              std::span<const InputPartition> partitions,
                                              const KafkaLog& log);

/// How many members a group has now; 0 if it does not exist.
Result<int> GroupMembers(const KafkaOptions& options, const std::string& group,
                         const KafkaLog& log);

}  // namespace neardup
