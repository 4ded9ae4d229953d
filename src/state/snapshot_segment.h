// A segment: deltas one after the other in a file. Format: docs/snapshot.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "neardup/result.h"
#include "state/delta.h"
#include "state/durable_file.h"
#include "state/snapshot_manifest.h"

namespace neardup {

/// The segment that grows. After an error it is of no use any more.
class SegmentWriter {
 public:
  /// A new, empty file; `row` names its number.
  static Result<SegmentWriter> Start(const std::filesystem::path& folder, uint16_t lane,
                                     const SnapshotSegment& row);
  /// Goes on behind what `row` says of an existing file; kCorrupt when that is not what it holds.
  static Result<SegmentWriter> Continue(const std::filesystem::path& folder,
                                        const SnapshotSegment& row);

  /// `changelog_offset`: that of the first record that was merged into the delta.
  Result<void> Append(const Delta& delta, int64_t changelog_offset);
  Result<void> Sync() { return file_.Sync(); }
  /// With everything appended so far.
  const SnapshotSegment& row() const { return row_; }

 private:
  SegmentWriter(AppendedFile file, const SnapshotSegment& row)
      : file_(std::move(file)), row_(row) {}
  Result<void> Write(std::string_view bytes);

  AppendedFile file_;
  SnapshotSegment row_;
  StreamedHash64 hash_;
};

/// Checks the whole segment, then hands out its deltas in order; an error of `visit` is returned as
/// it is. kCorrupt and kNotFound name the file and what is wrong.
Result<void> ReadSegment(const std::filesystem::path& folder, uint16_t lane,
                         const SnapshotSegment& row,
                         const std::function<Result<void>(Delta&&)>& visit);

}  // namespace neardup
