// Looks whether the output topics hold records of a lane.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

/// Reads the last committed records of each partition of `topics`, and describes the first with a
/// neardup header of its own; nullopt if there is none. kUnavailable if the partitions cannot be
/// read to their ends within answer_timeout_ms.
Result<std::optional<std::string>> FindOutputOfALane(const KafkaOptions& options,
                                                     const std::vector<std::string>& topics,
                                                     const KafkaLog& log);

}  // namespace neardup
