// Reads the committed records of one partition.
#pragma once

#include <cstdint>
#include <functional>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

namespace neardup {

/// Visits the committed records from offset `begin` (-1: the oldest) to the present end, in order,
/// until `visit` returns false. Waits for open transactions below that end.
Result<void> ReadCommitted(const KafkaOptions& options, const InputPartition& partition,
                           int64_t begin, const std::function<bool(const Message&)>& visit);

}  // namespace neardup
