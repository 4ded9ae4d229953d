#include "state/delta_stream.h"

#include <utility>

#include "state/snapshot_segment.h"

namespace neardup {
namespace {

/// Enough that neither side waits for the other at each delta.
constexpr size_t kReadyMax = 16;

}  // namespace

DeltaStream::DeltaStream(std::filesystem::path folder, const SnapshotManifest& manifest)
    : folder_(std::move(folder)), manifest_(manifest), reader_([this] { ReadAll(); }) {}

DeltaStream::~DeltaStream() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
  reader_.join();
}

Result<std::optional<Delta>> DeltaStream::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_ || !ready_.empty(); });
  if (ready_.empty()) {
    NEARDUP_TRY(outcome_);
    return std::optional<Delta>();
  }
  std::optional<Delta> next(std::move(ready_.front()));
  ready_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return next;
}

void DeltaStream::ReadAll() {
  Result<void> outcome;
  for (const SnapshotSegment& segment : manifest_.segments) {
    bool wanted = true;
    outcome = ReadSegment(folder_, manifest_.lane, segment, [&](Delta&& delta) -> Result<void> {
      wanted = wanted && Put(std::move(delta));
      return {};
    });
    if (!outcome.ok() || !wanted) break;
  }
  {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    done_ = true;
  }
  changed_.notify_all();
}

bool DeltaStream::Put(Delta&& delta) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return abandoned_ || ready_.size() < kReadyMax; });
  if (abandoned_) return false;
  ready_.push_back(std::move(delta));
  lock.unlock();
  changed_.notify_all();
  return true;
}

}  // namespace neardup
