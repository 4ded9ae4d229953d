// Moves a lane's inputs to other offsets, or forgets a lane altogether. The lane must be stopped.
#pragma once

#include <string>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/state/route.h"

namespace neardup {

struct InputMove {
  InputPartition partition;
  std::string to;  ///< earliest, latest or an offset
};

/// Moves inputs: one transaction writes a delta without entries and commits the group's offsets.
/// The index stays as it is. Returns what it does, as lines for people, in numbers; without
/// `execute` it changes nothing. kConfig: a partition that the lane does not know, or an offset
/// that its log does not hold.
Result<std::string> MoveInputs(const Settings& settings, const std::vector<InputMove>& moves,
                               bool execute, const KafkaLog& log);

/// Deletes the consumer groups, the changelog and the lease topic, and the local snapshots, so that
/// the next start is a first start. The outputs stay. Interrupted, it can be repeated. Returns
/// lines as MoveInputs does.
Result<std::string> ForgetLane(const Settings& settings, bool execute, const KafkaLog& log);

}  // namespace neardup
