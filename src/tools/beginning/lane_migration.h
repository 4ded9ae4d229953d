// Gives a stopped app another number of lanes: the entries of its indexes, and the places where it
// reads on, go to the lanes that will own their partitions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"

namespace neardup {

/// A lane of the new number.
struct MigratedLane {
  uint64_t partitions = 0;
  uint64_t entries = 0;
  uint64_t left_out = 0;  ///< the oldest ones, for which window.entries_max has no room
};

struct LaneMigration {
  int32_t from = 1;
  int32_t to = 1;
  std::vector<MigratedLane> lanes;  ///< by number; empty if an interrupted run had written all
  uint64_t seq = 0;                 ///< the new lanes count on after it
};

/// `settings` are those of the old number of lanes. Without `execute` it changes nothing.
/// kMismatch: the changelog is that of another number of lanes or of another pipeline, or the lanes
/// compare by different settings. kUnavailable: an instance of a lane is running.
///
/// Each new lane is given its live entries in the order of their event times, in deltas that are
/// marked as unfinished. When all lanes have theirs, a last delta ends each. Until then no lane
/// starts, the old deltas stay where they are, and the call can be repeated. Holds 10 million
/// entries in memory, of 128 bytes each, or those of one new lane if these are more. For this it
/// may read the old changelogs several times.
Result<LaneMigration> MigrateLanes(const Settings& settings, int32_t to, bool execute,
                                   const KafkaLog& log);

}  // namespace neardup
