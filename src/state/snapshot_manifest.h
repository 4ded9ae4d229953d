// What a snapshot consists of. Format: docs/snapshot.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/result.h"

namespace neardup {

/// Deltas that follow each other, in one file.
struct SnapshotSegment {
  uint64_t number = 0;
  uint64_t bytes = 0;  ///< that belong to the snapshot; the file may be longer
  uint64_t checksum = 0;
  uint64_t entries = 0;
  uint64_t seq_first = 0;
  int64_t changelog_offset = 0;     ///< of its first delta
  int64_t time_max_ms = INT64_MIN;  ///< largest event time of an entry; INT64_MIN without entries

  bool operator==(const SnapshotSegment&) const = default;
};

/// A record of the changelog, told from any other.
struct ChangelogMark {
  int64_t offset = -1;
  uint64_t checksum = 0;  ///< Hash64 of its bytes

  bool operator==(const ChangelogMark&) const = default;
};

struct SnapshotManifest {
  uint64_t number = 0;  ///< grows with each one; names the file
  uint16_t lane = 0;
  std::string spec;
  int64_t written_ms = 0;
  ChangelogMark end;  ///< the last record of the changelog that the snapshot holds
  uint64_t seq = 0;
  std::vector<SnapshotSegment> segments;  ///< oldest first; at least one

  uint64_t entries() const;
  uint64_t bytes() const;
  bool operator==(const SnapshotManifest&) const = default;
};

std::string Encode(const SnapshotManifest& manifest);
/// kCorrupt says what is wrong; anything but what Encode wrote is refused.
Result<SnapshotManifest> DecodeSnapshotManifest(std::string_view text);

}  // namespace neardup
