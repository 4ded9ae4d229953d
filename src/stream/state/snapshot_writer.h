// Writes a lane's snapshots as its changelog grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "stream/state/delta.h"
#include "stream/state/snapshot.h"

namespace neardup {

/// A new segment begins when the newest one has this size.
inline constexpr uint64_t kSegmentBytes = uint64_t{16} << 20;

/// The folder must be locked (TakeSnapshotFolder). After an error, make a new writer that continues
/// published(). One owner thread.
class SnapshotWriter {
 public:
  /// `base`: the snapshot to continue, which must be whole; nullopt: begin with nothing. Removes
  /// segments that no manifest names. The first Publish removes what neither it nor `base` needs.
  /// `changelog`: its name, for the manifests.
  static Result<std::unique_ptr<SnapshotWriter>> New(const std::filesystem::path& folder,
                                                     uint16_t lane, std::string spec,
                                                     std::optional<SnapshotManifest> base,
                                                     uint64_t segment_bytes = kSegmentBytes,
                                                     std::string changelog = {});

  /// Removes what was written and not published, so that failures do not fill the disk.
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  /// The delta must follow the previous one. A fresh delta need not: it starts the snapshot from
  /// nothing. `mark`: the record of the changelog that holds it.
  Result<void> Append(Delta delta, const ChangelogMark& mark);
  /// From the next Publish on, leaves out the segments of which every delta is below this offset of
  /// the changelog.
  void DropBelow(int64_t changelog_offset);
  /// Writes a manifest. Returns when everything appended would survive a crash. Does nothing when
  /// there is nothing new. `written_ms`: the time that the manifest names.
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

  Result<void> Continue(const SnapshotManifest& base);
  Result<void> WritePending();
  Result<void> StartSegment();
  /// Removes the segment and manifest files that neither the published manifest nor the one before
  /// it needs.
  Result<void> RemoveAllBut(const std::optional<SnapshotManifest>& before) const;

  std::filesystem::path folder_;
  uint64_t segment_bytes_;
  /// What is to be published; `segments` without the growing one.
  SnapshotManifest manifest_;
  std::optional<SegmentWriter> growing_;
  std::optional<Delta> pending_;
  int64_t pending_offset_ = 0;
  std::optional<SnapshotManifest> published_;
  /// Files since the last Publish, in the order of their creation.
  std::vector<std::filesystem::path> unpublished_;
  uint64_t next_manifest_ = 1;
  uint64_t next_segment_ = 1;
};

}  // namespace neardup
