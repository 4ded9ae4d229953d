// The deltas of a snapshot, read and decoded ahead by a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "neardup/options.h"
#include "neardup/result.h"
#include "state/delta.h"
#include "state/lane_state.h"
#include "state/snapshot.h"

namespace neardup {

/// One owner thread. Holds a segment and some deltas in memory.
class DeltaStream {
 public:
  DeltaStream(std::filesystem::path folder, const SnapshotManifest& manifest);
  ~DeltaStream();
  DeltaStream(const DeltaStream&) = delete;
  DeltaStream& operator=(const DeltaStream&) = delete;

  /// nullopt at the end. An error is final.
  Result<std::optional<Delta>> Next();

 private:
  void ReadAll();
  /// False when nobody wants it any more.
  bool Put(Delta&& delta);

  const std::filesystem::path folder_;
  const SnapshotManifest& manifest_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Delta> ready_;
  Result<void> outcome_;
  bool done_ = false;
  bool abandoned_ = false;

  std::thread reader_;
};

// From the snapshots on disk to the state of a lane.

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
