// The deltas of a snapshot, read and decoded ahead by a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

#include "neardup/result.h"
#include "state/delta.h"
#include "state/snapshot_manifest.h"

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

}  // namespace neardup
