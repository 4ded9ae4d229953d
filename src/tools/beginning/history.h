// A history that `neardup.spark` has decided: what a lane remembers at its end, and where it goes
// on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "neardup/result.h"
#include "state/delta.h"
#include "state/input.h"

namespace neardup {

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

/// What a lane of the history has left.
struct HistoryLane {
  std::vector<HistoryPart> parts;  ///< in order
  uint64_t live = 0;               ///< how many of the newest entries are remembered
  std::map<InputPartition, int64_t> next_offsets;  ///< of each partition that it has read
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

}  // namespace neardup
