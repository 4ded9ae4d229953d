// The local side of a lane's state: its snapshots, and the thread that keeps them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "neardup/result.h"
#include "state/durable_file.h"
#include "state/snapshot_restore.h"
#include "stream/changelog_keeper.h"
#include "stream/ports.h"
#include "stream/probe.h"

namespace neardup {

/// One owner thread. The references must outlive it.
class StateKeeper {
 public:
  StateKeeper(const KeeperOptions& options, Clock& clock, KeeperProbe& keeper_probe);
  /// Ends the thread; the last snapshot is written before.
  ~StateKeeper();
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  /// Takes the folder and restores the newest snapshot that is whole; nullopt without a folder, or
  /// when there is none. The probe hears of progress and of what was refused. An error when the
  /// folder cannot be used.
  Result<std::optional<RestoredSnapshot>> Restore(Probe& probe);
  /// From now on the changelog is followed. After Restore.
  void Start(std::unique_ptr<Changelog> log);

 private:
  KeeperOptions options_;
  Clock& clock_;
  KeeperProbe& keeper_probe_;
  FileLock lock_;
  std::optional<SnapshotManifest> base_;
  std::unique_ptr<Changelog> log_;
  std::unique_ptr<ChangelogKeeper> keeper_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace neardup
