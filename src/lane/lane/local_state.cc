#include "lane/local_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "state/snapshot.h"

namespace neardup {

LocalState::LocalState(const KeeperOptions& options, Clock& clock, KeeperProbe& keeper_probe)
    : options_(options), clock_(clock), keeper_probe_(keeper_probe) {}

LocalState::~LocalState() {
  if (!thread_.joinable()) return;
  stop_ = true;
  thread_.join();
}

Result<std::optional<RestoredSnapshot>> LocalState::Restore(Probe& probe) {
  if (options_.folder.empty()) return std::optional<RestoredSnapshot>();
  NEARDUP_ASSIGN(lock_, TakeSnapshotFolder(options_.folder));
  probe.On(event::PhaseChanged{LanePhase::kRestoring});
  const int64_t started_ms = clock_.SteadyMs();
  SnapshotEvents events;
  events.refused = [&](const Error& error) {
    probe.On(event::StateDiscarded{fmt::format("a snapshot is refused: {}", error.text)});
  };
  events.progress = [&](uint64_t entries, uint64_t total) {
    const auto share =
        static_cast<double>(entries) / static_cast<double>(std::max<uint64_t>(1, total));
    probe.On(event::Restoring{share, entries});
  };
  NEARDUP_ASSIGN(std::optional<RestoredSnapshot> restored,
                 RestoreSnapshot(options_.folder, options_.filter, options_.lane, events));
  if (!restored) return restored;
  restored_ = KeeperBase{restored->manifest, restored->state->place()};
  const auto seconds = static_cast<double>(clock_.SteadyMs() - started_ms) / 1000;
  probe.On(event::SnapshotRestored{restored_->manifest.entries(), seconds});
  return restored;
}

void LocalState::Follow(std::unique_ptr<Changelog> log) {
  log_ = std::move(log);
  keeper_ = std::make_unique<ChangelogKeeper>(options_, *log_, clock_, keeper_probe_, restored_);
  thread_ = std::thread([this] {
    while (!stop_) keeper_->Step();
    keeper_->Finish();
  });
}

}  // namespace neardup
