// From the snapshots on disk to the state of a lane.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "neardup/options.h"
#include "neardup/result.h"
#include "state/delta.h"
#include "state/lane_state.h"
#include "state/snapshot_manifest.h"

namespace neardup {

/// kNotFound, kCorrupt or kMismatch with the name of the file.
Result<SnapshotManifest> ReadSnapshotManifest(const std::filesystem::path& folder, uint16_t lane,
                                              uint64_t number);

/// What a snapshot says about its own reading; all calls come from the caller's thread.
struct SnapshotEvents {
  /// A snapshot, or the whole folder, that is not used, and why.
  std::function<void(const Error&)> refused;
  std::function<void(uint64_t entries, uint64_t entries_in_all)> progress;
};

/// Folds all deltas of one snapshot into `state`, which must be empty. After an error `state` is of
/// no use any more. Reads and decodes in a thread of its own.
Result<void> FoldSnapshot(const std::filesystem::path& folder, const SnapshotManifest& manifest,
                          LaneState& state, const SnapshotEvents& events);

/// Reads all of a snapshot without making a state of it: checksums, deltas, their order, and that
/// they are of this lane and FingerprintSpec.
Result<void> CheckSnapshot(const std::filesystem::path& folder, const SnapshotManifest& manifest);

struct RestoredSnapshot {
  SnapshotManifest manifest;
  std::unique_ptr<LaneState> state;
};
/// The newest snapshot that is whole and of this lane and FingerprintSpec; those before it in vain
/// are refused by `events`, as is a folder that cannot be listed. nullopt: there is none, or none
/// that can be used. An error only where `options` are invalid.
Result<std::optional<RestoredSnapshot>> RestoreSnapshot(const std::filesystem::path& folder,
                                                        const FilterOptions& options, uint16_t lane,
                                                        const SnapshotEvents& events);

}  // namespace neardup
