// Deletes what is dead from the changelog and keeps a snapshot of the rest: docs/snapshot.md.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lane/changelog_follower.h"
#include "lane/input_backlog.h"
#include "lane/lane_options.h"
#include "lane/ports.h"
#include "lane/probe.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "state/lane_state.h"
#include "state/live_range.h"
#include "state/snapshot.h"
#include "state/snapshot_writer.h"

namespace neardup {

struct KeeperOptions {
  FilterOptions filter;
  uint16_t lane = 0;
  /// Locked for this process (TakeSnapshotFolder). Empty: no snapshots.
  std::filesystem::path folder;
  int64_t snapshot_interval_ms = 30'000;
  uint64_t segment_bytes = kSegmentBytes;
  bool purge = true;
  /// The lane learned its settings: a purged changelog still begins with a delta that holds them.
  bool learned = false;
  /// Asks for the end of an input partition, perhaps for some seconds. Empty: the keeper does not
  /// say how many records are undecided.
  std::function<Result<int64_t>(const InputPartition&)> input_end{};
};

/// A snapshot to continue, which must be whole, and how far it knows the changelog.
struct KeeperBase {
  SnapshotManifest manifest;
  LogPlace place;
};

/// Follows the committed deltas with a changelog reader of its own, so that no lane waits for it.
/// When it finds that this is another log than it knew, it starts over. If that log may be the same
/// one without its end (HasLostItsEnd), it purges nothing and keeps its snapshot, until an instance
/// was promoted: that instance has judged the loss. One owner thread calls everything; ports and
/// probe must outlive it.
class ChangelogKeeper {
 public:
  /// `base`: the snapshot in the folder to continue, unless it is of another changelog.
  ChangelogKeeper(const KeeperOptions& options, Changelog& log, Clock& clock, KeeperProbe& probe,
                  std::optional<KeeperBase> base);

  /// A bounded piece of work, about 100 ms. Reports errors to the probe and tries again after a
  /// snapshot interval.
  void Step();
  /// Writes what was read since the last snapshot. Do not use the keeper afterwards.
  void Finish();

 private:
  Result<void> Follow();
  Result<void> Begin();
  Result<void> Keep(const ChangelogRecord& record);
  Result<void> Publish();
  void Purge();
  /// Drops what it remembers of another log than the one that it reads now.
  void LeaveLog(const std::string& why);
  int64_t PurgeOffset();
  void StartOver();
  /// Asks for one end at most.
  void WatchInputs();

  KeeperOptions options_;
  Clock& clock_;
  Changelog& log_;
  KeeperProbe& probe_;
  /// The snapshot that is on disk and whole.
  std::optional<SnapshotManifest> base_;

  bool begun_ = false;
  ChangelogFollower follower_;
  /// The place of the newest delta that it has read or that a snapshot holds. Its writer is known
  /// only if it was read.
  std::optional<LogPlace> place_;
  std::optional<LogPlace> base_place_;  ///< the same of the newest delta in `base_`
  std::optional<uint64_t> writer_of_newest_;
  bool found_hole_ = false;
  /// How far it had read the log that it has left.
  std::optional<LogPlace> left_log_;
  std::string spec_;
  LiveRange live_;
  std::unique_ptr<SnapshotWriter> writer_;
  int64_t due_at_ms_ = 0;
  int64_t retry_not_before_ms_ = 0;
  int64_t purged_to_ = 0;
  InputBacklog backlog_;
  int64_t ask_at_ms_ = 0;
  std::deque<int64_t> learned_at_;  ///< offsets of deltas with learned settings, ascending
};

}  // namespace neardup
