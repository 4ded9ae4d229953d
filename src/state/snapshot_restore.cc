#include "state/snapshot_restore.h"

#include <utility>

#include "base/file_content.h"
#include "state/lane_state.h"
#include "state/snapshot.h"

namespace neardup {

namespace {

/// Enough that neither side waits for the other at each delta.
constexpr size_t kReadyMax = 16;

}  // namespace

DeltaStream::DeltaStream(std::filesystem::path folder, const SnapshotManifest& manifest)
    : folder_(std::move(folder)), manifest_(manifest), reader_([this] { ReadAll(); }) {}

DeltaStream::~DeltaStream() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  reader_.join();
}

Result<std::optional<Delta>> DeltaStream::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_ || !ready_.empty(); });
  if (ready_.empty()) {
    NEARDUP_TRY(outcome_);
    return std::optional<Delta>();
  }
  std::optional<Delta> next(std::move(ready_.front()));
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return next;
}

void DeltaStream::ReadAll() {
  Result<void> outcome;
  for (const SnapshotSegment& segment : manifest_.segments) {
    bool wanted = true;
    outcome = ReadSegment(folder_, manifest_.lane, segment, [&](Delta&& delta) -> Result<void> {
      wanted = wanted && Put(std::move(delta));
      return {};
    });
    if (!outcome.ok() || !wanted) break;
  }
  {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    done_ = true;
  }
  changed_.notify_all();
}

bool DeltaStream::Put(Delta&& delta) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return abandoned_ || ready_.size() < kReadyMax; });
  if (abandoned_) return false;
  ready_.push_back(std::move(delta));
  lock.unlock();
  changed_.notify_all();
  return true;
}

namespace {

namespace fs = std::filesystem;

Error Named(const fs::path& path, Error error) {
  error.text = path.string() + ": " + error.text;
  return error;
}

/// What the manifest says of a whole must be what the parts come to.
Result<void> CheckAgrees(const SnapshotManifest& manifest, uint64_t seq, uint64_t entries) {
  if (seq == manifest.seq && entries == manifest.entries()) return {};
  return Error{ErrorCode::kCorrupt, "the segments end at seq " + std::to_string(seq) +
                                        " and hold " + std::to_string(entries) +
                                        " entries, expected " + std::to_string(manifest.seq) +
                                        " and " + std::to_string(manifest.entries())};
}

Result<std::unique_ptr<LaneState>> Folded(const fs::path& folder, const SnapshotManifest& manifest,
                                          const FilterOptions& options,
                                          const SnapshotEvents& events) {
  const std::string spec = FingerprintSpec(options);
  if (manifest.spec != spec) {
    return Error{ErrorCode::kMismatch,
                 "written with other fingerprint settings: " + SpecDifference(spec, manifest.spec)};
  }
  NEARDUP_ASSIGN(std::unique_ptr<LaneState> state, LaneState::New(options, manifest.lane));
  NEARDUP_TRY(FoldSnapshot(folder, manifest, *state, events));
  return state;
}

Result<RestoredSnapshot> Restore(const fs::path& folder, uint64_t number,
                                 const FilterOptions& options, uint16_t lane,
                                 const SnapshotEvents& events) {
  NEARDUP_ASSIGN(SnapshotManifest manifest, ReadSnapshotManifest(folder, lane, number));
  auto state = Folded(folder, manifest, options, events);
  if (!state.ok()) return Named(ManifestPath(folder, number), state.error());
  return RestoredSnapshot{std::move(manifest), std::move(state).value()};
}

}  // namespace

Result<SnapshotManifest> ReadSnapshotManifest(const fs::path& folder, uint16_t lane,
                                              uint64_t number) {
  const fs::path path = ManifestPath(folder, number);
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return Named(path, text.error());
  Result<SnapshotManifest> manifest = DecodeSnapshotManifest(*text);
  if (!manifest.ok()) return Named(path, manifest.error());
  if (manifest->number != number || manifest->lane != lane) {
    return Error{ErrorCode::kMismatch,
                 path.string() + ": is number " + std::to_string(manifest->number) + " of lane " +
                     std::to_string(manifest->lane) + "; files must keep their names"};
  }
  return manifest;
}

Result<void> FoldSnapshot(const fs::path& folder, const SnapshotManifest& manifest,
                          LaneState& state, const SnapshotEvents& events) {
  DeltaStream deltas(folder, manifest);
  uint64_t entries = 0;
  state.filter().BeginRestore();
  while (true) {
    NEARDUP_ASSIGN(std::optional<Delta> delta, deltas.Next());
    if (!delta) break;
    entries += delta->entries.size();
    NEARDUP_TRY(state.Apply(std::move(*delta)));
    if (events.progress) events.progress(entries, manifest.entries());
  }
  state.filter().EndRestore();
  return CheckAgrees(manifest, state.seq(), entries);
}

Result<void> CheckSnapshot(const fs::path& folder, const SnapshotManifest& manifest) {
  DeltaStream deltas(folder, manifest);
  uint64_t seq = 0;
  uint64_t entries = 0;
  for (bool first = true;; first = false) {
    NEARDUP_ASSIGN(const std::optional<Delta> delta, deltas.Next());
    if (!delta) return CheckAgrees(manifest, seq, entries);
    if (delta->lane != manifest.lane || delta->spec != manifest.spec) {
      return Error{ErrorCode::kMismatch, "the delta of seq " + std::to_string(delta->seq_first) +
                                             " is of another lane or other fingerprint settings"};
    }
    if (!first && delta->seq_first != seq + 1) {
      return Error{ErrorCode::kCorrupt, "a hole: expected seq " + std::to_string(seq + 1) +
                                            ", found " + std::to_string(delta->seq_first)};
    }
    seq = delta->seq_last;
    entries += delta->entries.size();
  }
}

Result<std::optional<RestoredSnapshot>> RestoreSnapshot(const fs::path& folder,
                                                        const FilterOptions& options, uint16_t lane,
                                                        const SnapshotEvents& events) {
  NEARDUP_TRY(CheckOptions(options));
  const Result<SnapshotNumbers> found = ListSnapshots(folder);
  if (!found.ok()) {
    const bool absent = found.error().code == ErrorCode::kNotFound;
    if (!absent && events.refused) events.refused(found.error());
    return std::optional<RestoredSnapshot>();
  }
  for (const uint64_t number : found->manifests) {
    Result<RestoredSnapshot> restored = Restore(folder, number, options, lane, events);
    if (restored.ok()) return std::optional<RestoredSnapshot>(std::move(*restored));
    if (events.refused) events.refused(restored.error());
  }
  return std::optional<RestoredSnapshot>();
}

}  // namespace neardup
