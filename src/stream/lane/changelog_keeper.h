// Deletes what is dead from the changelog and keeps a snapshot of the rest: docs/snapshot.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "neardup/options.h"
#include "neardup/result.h"
#include "stream/lane/changelog_follower.h"
#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/state/delta.h"
#include "stream/state/durable_file.h"
#include "stream/state/lane_state.h"
#include "stream/state/live_range.h"
#include "stream/state/route.h"
#include "stream/state/snapshot.h"
#include "stream/state/snapshot_restore.h"
#include "stream/state/snapshot_writer.h"

namespace neardup {

// How many records of the inputs no instance has decided, as the changelog and the ends of the
// inputs show. A standby can tell this just as the active instance can.

/// One owner thread.
class InputBacklog {
 public:
  /// Takes the deltas in order. Inputs that the lane no longer reads are left out.
  void Follow(const Delta& delta);

  size_t inputs() const { return inputs_.size(); }
  /// Returns one input after the other. There must be one.
  InputPartition NextToAsk();
  /// `end`: the offset after the newest record.
  void SetEnd(const InputPartition& input, int64_t end);
  /// Sum over the partitions of the topic whose end is known. Offsets without a record count.
  int64_t undecided(const std::string& topic) const;

 private:
  struct Place {
    int64_t next_offset = 0;
    int64_t end = -1;  ///< -1: not known
  };
  std::map<InputPartition, Place> inputs_;
  InputPartition asked_;
};

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

// A lane's state on the local disk: restored at the start, then kept up to date.

/// Holds the snapshot folder for this process and runs a ChangelogKeeper in a thread of its own.
/// Without a folder it only purges the changelog. One owner thread; clock and probe must outlive
/// it.
class LocalState {
 public:
  LocalState(const KeeperOptions& options, Clock& clock, KeeperProbe& keeper_probe);
  /// Ends the thread, which writes a last snapshot first.
  ~LocalState();
  LocalState(const LocalState&) = delete;
  LocalState& operator=(const LocalState&) = delete;

  /// Locks the folder and restores the newest snapshot that is whole. nullopt without a folder, or
  /// when it holds no such snapshot. Reports the progress and each refused snapshot to
  /// `probe`. An error when the folder cannot be used.
  Result<std::optional<RestoredSnapshot>> Restore(Probe& probe);
  /// Starts to follow the changelog. Call once, after Restore.
  void Follow(std::unique_ptr<Changelog> log);

 private:
  KeeperOptions options_;
  Clock& clock_;
  KeeperProbe& keeper_probe_;
  FileLock lock_;
  std::optional<KeeperBase> restored_;
  std::unique_ptr<Changelog> log_;
  std::unique_ptr<ChangelogKeeper> keeper_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace neardup
