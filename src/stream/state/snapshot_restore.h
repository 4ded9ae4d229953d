// From the snapshots on disk to the state of a lane.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "neardup/options.h"
#include "neardup/result.h"
#include "stream/state/lane_state.h"
#include "stream/state/snapshot.h"

namespace neardup {

/// kNotFound, kCorrupt or kMismatch name the file.
Result<SnapshotManifest> ReadSnapshotManifest(const std::filesystem::path& folder, uint16_t lane,
                                              uint64_t number);

/// All calls come from the thread that restores.
struct SnapshotEvents {
  /// A snapshot, or the whole folder, is not used; the error says why.
  std::function<void(const Error&)> refused;
  std::function<void(uint64_t entries, uint64_t entries_total)> progress;
};

/// Applies all deltas of one snapshot to `state`, which must be empty. Reads and decodes in a
/// thread of its own. Do not use `state` after an error.
Result<void> FoldSnapshot(const std::filesystem::path& folder, const SnapshotManifest& manifest,
                          LaneState& state, const SnapshotEvents& events);

/// Reads all of a snapshot without building a state: checks the checksums, each delta, their order,
/// and that all belong to the manifest's lane and FingerprintSpec.
Result<void> CheckSnapshot(const std::filesystem::path& folder, const SnapshotManifest& manifest);

struct RestoredSnapshot {
  SnapshotManifest manifest;
  std::unique_ptr<LaneState> state;
};
/// The newest snapshot that is whole and has this lane and FingerprintSpec. nullopt: there is none.
/// events.refused hears of each newer one that cannot be used, and of a folder that cannot be
/// listed. An error only when `options` are invalid.
Result<std::optional<RestoredSnapshot>> RestoreSnapshot(const std::filesystem::path& folder,
                                                        const FilterOptions& options, uint16_t lane,
                                                        const SnapshotEvents& events);

}  // namespace neardup
