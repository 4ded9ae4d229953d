// Gives the lanes of an app that has never run the entries of a history, so that they find copies
// of it from the first record on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "state/input.h"

namespace neardup {

struct ImportOptions {
  std::filesystem::path folder;
  /// Where a partition begins of which the history holds no record. Nothing: such a partition is
  /// refused.
  std::optional<StartAt> start;
  /// Go on if the topic no longer holds the next records.
  bool accept_gap = false;
};

struct ImportedInput {
  InputPartition partition;
  int64_t next_offset = 0;
  int64_t lost = 0;  ///< records between the history and what the topic still holds
  bool in_history = true;
};

struct ImportedLane {
  uint64_t entries = 0;
  std::vector<ImportedInput> inputs;
};

struct HistoryImport {
  std::vector<ImportedLane> lanes;
  /// The entries were written by an interrupted run, and only the end of some lanes was missing.
  bool written_before = false;
};

/// Without `execute` it changes nothing, and says what it would do. kMismatch: the history has
/// another FingerprintSpec or number of lanes, or is none of these topics; or the app has begun.
/// kConfig: a partition without history, or a gap, that the options do not accept. kUnavailable: an
/// instance of the app is running.
///
/// Each lane is given its entries in deltas that are marked as unfinished, in transactions like
/// those of the service. When all lanes have theirs, a last delta ends each, in one transaction
/// with the offsets. Until then no lane starts, and the call can be repeated.
Result<HistoryImport> ImportHistory(const Settings& settings, const ImportOptions& options,
                                    bool execute, const KafkaLog& log);

}  // namespace neardup
