// Keeps a lane's snapshot up to date with its changelog.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "neardup/result.h"
#include "state/delta.h"
#include "state/snapshot.h"

namespace neardup {

/// A new segment is begun when the newest has so many bytes.
inline constexpr uint64_t kSegmentBytes = uint64_t{16} << 20;

/// One owner thread; the folder must be taken (TakeSnapshotFolder). After an error it is of no use
/// any more; a new one goes on from published().
class SnapshotWriter {
 public:
  /// `base`: the snapshot to go on with, which must be whole; nullopt: begin with nothing. What is
  /// there besides stays until the first Publish.
  static Result<std::unique_ptr<SnapshotWriter>> New(const std::filesystem::path& folder,
                                                     uint16_t lane, std::string spec,
                                                     std::optional<SnapshotManifest> base,
                                                     uint64_t segment_bytes = kSegmentBytes);

  /// The delta must follow the one before; `mark` is the record of the changelog it came in.
  Result<void> Append(Delta delta, const ChangelogMark& mark);
  /// Leaves out, from the next Publish on, segments with nothing at or behind this offset of the
  /// changelog.
  void DropBelow(int64_t changelog_offset);
  /// Returns when everything appended would outlive a crash. Does nothing when there is nothing
  /// new. `written_ms` is the time it is said to be of.
  Result<void> Publish(int64_t written_ms);

  /// The newest manifest on disk.
  const std::optional<SnapshotManifest>& published() const { return published_; }

 private:
  SnapshotWriter(std::filesystem::path folder, uint16_t lane, std::string spec,
                 uint64_t segment_bytes)
      : folder_(std::move(folder)), segment_bytes_(segment_bytes) {
    manifest_.lane = lane;
    manifest_.spec = std::move(spec);
  }

  Result<void> GoOnWith(const SnapshotManifest& base);
  Result<void> WritePending();
  Result<void> StartSegment();
  /// Removes what neither the published manifest nor the one before it needs.
  Result<void> RemoveAllBut(const std::optional<SnapshotManifest>& before) const;

  std::filesystem::path folder_;
  uint64_t segment_bytes_;
  /// As it would be published; `segments` without the growing one.
  SnapshotManifest manifest_;
  std::optional<SegmentWriter> growing_;
  std::optional<Delta> pending_;
  int64_t pending_offset_ = 0;
  std::optional<SnapshotManifest> published_;
  uint64_t next_manifest_ = 1;
  uint64_t next_segment_ = 1;
};

}  // namespace neardup
