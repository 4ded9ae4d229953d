// Reads what is committed in one partition of a topic.
#pragma once

#include <cstdint>
#include <functional>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/input.h"
#include "stream/message.h"

namespace neardup {

/// Visits the committed records from `begin` on (-1: the oldest), in order, up to the end there is
/// now, until `visit` answers false. Waits for open transactions below that end.
Result<void> ReadCommitted(const KafkaOptions& options, const InputPartition& partition,
                           int64_t begin, const std::function<bool(const Message&)>& visit);

}  // namespace neardup
