// Gives the lanes of an app that has never run the entries of a history, so that they find copies
// of it from the first record on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "service/config/settings.h"
#include "stream/state/delta.h"
#include "stream/state/route.h"

namespace neardup {

// A history that `neardup.spark` has decided: what a lane remembers at its end, and where it goes
// on.

/// A file of the history, and the XXH3-64 of its bytes.
struct HistoryFile {
  std::string name;  ///< relative to the folder
  uint64_t checksum = 0;
};

/// A part of a lane, as its marker describes it.
struct HistoryPart {
  HistoryFile segment;    ///< deltas, in the format of a snapshot's segment
  HistoryFile positions;  ///< where its unique records are in Kafka; python/neardup/_spark_tasks.py
  int64_t end = 0;        ///< number of the record after its last one
  /// In the segment. Their records may also be of parts before, because the filter commits by
  /// number.
  uint64_t entries = 0;
};

/// The ranges of offsets that a history holds of one partition. The key is the begin of a range,
/// and the value is its end. No two ranges touch.
using HeldOffsets = std::map<int64_t, int64_t>;

/// What a lane of the history has left.
struct HistoryLane {
  std::vector<HistoryPart> parts;              ///< in order
  uint64_t live = 0;                           ///< how many of the newest entries are remembered
  std::map<InputPartition, HeldOffsets> held;  ///< of each partition that it has read
};

/// An entry of the history, with the partition of its record. Entry::origin::offset is the offset.
struct HistoryEntry {
  InputPartition partition;
  Entry entry;
};

/// The folder that `neardup.spark.deduplicate` calls work_dir. Reading it changes nothing.
class History {
 public:
  /// kNotFound: no such folder, or no finished run in it. kMismatch: another version of the format,
  /// or a key without the positions of Kafka. kCorrupt. The text names the file.
  static Result<History> Open(const std::filesystem::path& folder);

  int32_t lanes() const { return static_cast<int32_t>(lanes_.size()); }
  const HistoryLane& lane(int32_t lane) const { return lanes_[static_cast<size_t>(lane)]; }

  /// The newest delta of a lane, without entries; its inputs have no meaning. nullopt: the lane has
  /// no records.
  Result<std::optional<Delta>> Newest(int32_t lane) const;
  /// Hands the live entries of a lane to `visit`, the oldest first. Checks the checksum of each
  /// file, as Newest does. Returns an error of `visit` unchanged.
  Result<void> Read(int32_t lane, const std::function<Result<void>(HistoryEntry&&)>& visit) const;

 private:
  explicit History(std::filesystem::path folder) : folder_(std::move(folder)) {}

  Result<void> ReadMarkers();
  Result<std::string> ReadFile(const HistoryFile& file) const;
  Result<void> ReadSegment(const HistoryFile& file,
                           const std::function<Result<void>(Delta&&)>& visit) const;

  std::filesystem::path folder_;
  std::vector<HistoryLane> lanes_;
};

struct ImportOptions {
  std::filesystem::path folder;
  /// Where a partition begins of which the history holds no record. Nothing: such a partition is
  /// refused.
  std::optional<StartAt> start;
  /// Go on if the topic no longer holds the next records, or if the history lacks earlier ones.
  bool accept_gap = false;
};

struct ImportedInput {
  InputPartition partition;
  int64_t next_offset = 0;
  /// Number of offsets earlier than next_offset that the history lacks. If the topic holds records
  /// there, they get no verdict.
  int64_t lost = 0;
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
/// the transactions of the service. When all lanes have theirs, a last delta ends each, in one
/// transaction with the offsets. Until then no lane starts, and the call can be repeated.
Result<HistoryImport> ImportHistory(const Settings& settings, const ImportOptions& options,
                                    bool execute, const KafkaLog& log);

}  // namespace neardup
