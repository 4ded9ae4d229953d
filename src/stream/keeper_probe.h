// What the keeper of the changelog tells about itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "neardup/result.h"

namespace neardup {

struct WrittenSnapshot {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  uint64_t segments = 0;
  uint64_t seq = 0;
  int64_t changelog_offset = 0;
  double seconds = 0;  ///< what writing the manifest and syncing took
};

/// All calls come from the keeper's thread. The default does nothing.
class KeeperProbe {
 public:
  virtual ~KeeperProbe() = default;
  virtual void SnapshotWritten(const WrittenSnapshot&) {}
  /// Everything below this offset is gone from the changelog.
  virtual void ChangelogPurged(int64_t /*offset*/) {}
  /// Purging is not tried again.
  virtual void PurgeRefused(const Error&) {}
  /// Tried again after a while; nothing is lost meanwhile.
  virtual void KeeperFailed(const Error&) {}
  /// The snapshot does not fit the changelog and is made anew.
  virtual void SnapshotRestarted(std::string_view /*why*/) {}
};

}  // namespace neardup
