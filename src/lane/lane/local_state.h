// A lane's state on the local disk: restored at the start, then kept up to date.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "lane/changelog_keeper.h"
#include "lane/ports.h"
#include "lane/probe.h"
#include "neardup/result.h"
#include "state/durable_file.h"
#include "state/snapshot_restore.h"

namespace neardup {

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
  /// when it holds no such snapshot. `probe` hears of the progress and of each snapshot that was
  /// refused. An error when the folder cannot be used.
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
