// A lane's snapshots on disk: a manifest, and the segments that it names. docs/snapshot.md
// describes the format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/base/hash.h"
#include "neardup/result.h"
#include "stream/state/delta.h"
#include "stream/state/durable_file.h"

namespace neardup {

// How the readers of the changelog recognise one of its records.

/// Identifies a record of the changelog. Two logs hold the same delta at the same offset only if
/// one is a copy of the other up to there, because each promotion marks its deltas (Delta::writer).
struct ChangelogMark {
  int64_t offset = -1;
  uint64_t checksum = 0;  ///< Hash64 of its bytes

  bool operator==(const ChangelogMark&) const = default;
};

/// What a manifest says of a segment: a file of deltas that follow each other.
struct SnapshotSegment {
  uint64_t number = 0;
  uint64_t bytes = 0;  ///< how many belong to the snapshot; the file may be longer
  uint64_t checksum = 0;
  uint64_t entries = 0;
  uint64_t seq_first = 0;
  int64_t changelog_offset = 0;     ///< of its first delta
  int64_t time_max_ms = INT64_MIN;  ///< largest event time of an entry; INT64_MIN without entries

  bool operator==(const SnapshotSegment&) const = default;
};

struct SnapshotManifest {
  uint64_t number = 0;  ///< grows with each manifest; names the file
  uint16_t lane = 0;
  std::string spec;
  int64_t written_ms = 0;
  std::string changelog;  ///< its name; empty in snapshots of older versions
  ChangelogMark end;      ///< the last record of the changelog that the snapshot holds
  uint64_t seq = 0;
  std::vector<SnapshotSegment> segments;  ///< oldest first; at least one

  uint64_t entries() const;
  uint64_t bytes() const;
  bool operator==(const SnapshotManifest&) const = default;
};

std::string Encode(const SnapshotManifest& manifest);
/// kCorrupt: not exactly what Encode writes; the text says what is wrong. kMismatch: another
/// version of the format.
Result<SnapshotManifest> DecodeSnapshotManifest(std::string_view text);

/// The folder of a lane's snapshots: `lane-N` in `state_dir`.
std::filesystem::path SnapshotFolder(const std::filesystem::path& state_dir, uint16_t lane);
/// Creates the folder if it is absent, and locks it for this process.
Result<FileLock> TakeSnapshotFolder(const std::filesystem::path& folder);

std::filesystem::path SegmentPath(const std::filesystem::path& folder, uint64_t number);
std::filesystem::path ManifestPath(const std::filesystem::path& folder, uint64_t number);

struct SnapshotNumbers {
  std::vector<uint64_t> manifests;               ///< newest first
  std::vector<uint64_t> segments;                ///< newest first
  std::vector<std::filesystem::path> left_over;  ///< temporary files of a crash
};
/// Returns the snapshot files of a folder and ignores other files. Fails with kNotFound if the
/// folder does not exist, and with kIo if it cannot be listed.
Result<SnapshotNumbers> ListSnapshots(const std::filesystem::path& folder);

/// The bytes that a segment begins with.
std::string SegmentHeader(uint16_t lane);
/// The bytes of one more delta in a segment.
std::string SegmentFrame(const Delta& delta);
/// Hands the deltas of a segment to `visit` in order. Returns an error of `visit` unchanged.
/// kCorrupt says what is wrong.
Result<void> ReadSegmentBytes(std::string_view bytes, uint16_t lane,
                              const std::function<Result<void>(Delta&&)>& visit);

/// The segment that grows. Do not use it after an error.
class SegmentWriter {
 public:
  /// Creates the segment file with the number in `row` and writes its header. An existing file is
  /// emptied.
  static Result<SegmentWriter> Start(const std::filesystem::path& folder, uint16_t lane,
                                     const SnapshotSegment& row);
  /// Appends to an existing file, after the bytes that `row` names. Fails with kCorrupt if the file
  /// does not hold them.
  static Result<SegmentWriter> Continue(const std::filesystem::path& folder,
                                        const SnapshotSegment& row);

  /// `changelog_offset` is the offset of the first record that was merged into the delta.
  Result<void> Append(const Delta& delta, int64_t changelog_offset);
  Result<void> Sync() { return file_.Sync(); }
  /// Describes everything appended so far.
  const SnapshotSegment& row() const { return row_; }

 private:
  SegmentWriter(AppendedFile file, const SnapshotSegment& row)
      : file_(std::move(file)), row_(row) {}
  Result<void> Write(std::string_view bytes);

  AppendedFile file_;
  SnapshotSegment row_;
  StreamedHash64 hash_;
};

/// Checks the whole segment, then hands its deltas to `visit` in order. Returns an error of `visit`
/// unchanged. kCorrupt and kNotFound name the file and what is wrong.
Result<void> ReadSegment(const std::filesystem::path& folder, uint16_t lane,
                         const SnapshotSegment& row,
                         const std::function<Result<void>(Delta&&)>& visit);

}  // namespace neardup
