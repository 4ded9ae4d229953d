#include "stream/state_keeper.h"

#include <utility>

#include "state/snapshot.h"

namespace neardup {

StateKeeper::StateKeeper(const KeeperOptions& options, Clock& clock, KeeperProbe& keeper_probe)
    : options_(options), clock_(clock), keeper_probe_(keeper_probe) {}

StateKeeper::~StateKeeper() {
  if (!thread_.joinable()) return;
  stop_ = true;
  thread_.join();
}

Result<std::optional<RestoredSnapshot>> StateKeeper::Restore(Probe& probe) {
  if (options_.folder.empty()) return std::optional<RestoredSnapshot>();
  NEARDUP_ASSIGN(lock_, TakeSnapshotFolder(options_.folder));
  probe.PhaseChanged(LanePhase::kRestoring);
  const int64_t started_ms = clock_.SteadyMs();
  SnapshotEvents events;
  events.refused = [&](const Error& error) {
    probe.StateDiscarded("a snapshot is refused: " + error.text);
  };
  events.progress = [&](uint64_t entries, uint64_t in_all) {
    const auto share = static_cast<double>(entries) / static_cast<double>(in_all == 0 ? 1 : in_all);
    probe.Restoring(share, entries);
  };
  NEARDUP_ASSIGN(std::optional<RestoredSnapshot> restored,
                 RestoreSnapshot(options_.folder, options_.filter, options_.lane, events));
  if (!restored) return restored;
  base_ = restored->manifest;
  const auto seconds = static_cast<double>(clock_.SteadyMs() - started_ms) / 1000;
  probe.SnapshotRestored(base_->entries(), seconds);
  return restored;
}

void StateKeeper::Start(std::unique_ptr<Changelog> log) {
  log_ = std::move(log);
  keeper_ = std::make_unique<ChangelogKeeper>(options_, *log_, clock_, keeper_probe_, base_);
  thread_ = std::thread([this] {
    while (!stop_) keeper_->Step();
    keeper_->Finish();
  });
}

}  // namespace neardup
