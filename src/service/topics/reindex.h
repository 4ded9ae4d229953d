// Rebuilds the index of a lane for new settings, from the unique records that the lane has
// written.
#pragma once

#include <cstdint>
#include <string>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "service/config/settings.h"

namespace neardup {

struct ReindexReport {
  std::string difference;  ///< between the settings; empty: none
  /// The changelog held nothing: the consumer group and the outputs say where the lane is.
  bool changelog_lost = false;
  uint64_t entries_before = 0;
  uint64_t seq = 0;           ///< up to which the records are decided
  uint64_t records = 0;       ///< unique records that were read
  uint64_t entries = 0;       ///< in the new index
  uint64_t outside = 0;       ///< records older than the window, or beyond its capacity
  uint64_t incomparable = 0;  ///< records that cannot be compared under the new settings
};

/// Reads the unique topics, and the newest delta of the changelog. Without a delta, it reads the
/// offsets of the consumer group and the newest records of the outputs. Fingerprints the unique
/// records with the new settings, and writes a fresh index with the offsets of the old one, in one
/// transaction.
/// Without `execute` it changes nothing. The lane must be stopped. If it is interrupted,
/// nothing has changed. kConfig: the outputs have no headers. kMismatch: the unique topics hold
/// records that this lane has not written.
Result<ReindexReport> Reindex(const Settings& settings, bool execute, const KafkaLog& log);

/// The same with `execute`, for the instance that holds the lease. Afterwards, also after an error,
/// its lane must be promoted again. Returns an error, and changes nothing, if another instance
/// has taken the lane meanwhile.
Result<ReindexReport> ReindexOwnLane(const Settings& settings, const KafkaLog& log);

}  // namespace neardup
