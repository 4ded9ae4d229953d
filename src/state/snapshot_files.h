// The files of a lane's snapshots, by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "neardup/result.h"
#include "state/durable_file.h"

namespace neardup {

/// Where a lane's snapshots stand: `lane-N` in `state_dir`.
std::filesystem::path SnapshotFolder(const std::filesystem::path& state_dir, uint16_t lane);
/// Makes the folder and takes it for this process.
Result<FileLock> TakeSnapshotFolder(const std::filesystem::path& folder);

std::filesystem::path SegmentPath(const std::filesystem::path& folder, uint64_t number);
std::filesystem::path ManifestPath(const std::filesystem::path& folder, uint64_t number);

struct SnapshotNumbers {
  std::vector<uint64_t> manifests;               ///< newest first
  std::vector<uint64_t> segments;                ///< newest first
  std::vector<std::filesystem::path> left_over;  ///< temporary files of a crash
};
/// What there is; other files are passed over. kNotFound: no such folder; kIo: something that
/// cannot be listed stands in its place.
Result<SnapshotNumbers> ListSnapshots(const std::filesystem::path& folder);

}  // namespace neardup
