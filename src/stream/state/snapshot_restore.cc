#include "stream/state/snapshot_restore.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "detect/base/file.h"
#include "detect/base/message_text.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

namespace fs = std::filesystem;

/// Enough that neither side waits for the other at each delta.
constexpr size_t kReadyMax = 16;

/// The deltas of a snapshot, read and decoded ahead by a thread of its own. Holds one segment and
/// some deltas in memory. One owner thread.
class DeltaStream {
 public:
  DeltaStream(fs::path folder, const SnapshotManifest& manifest);
  ~DeltaStream();
  DeltaStream(const DeltaStream&) = delete;
  DeltaStream& operator=(const DeltaStream&) = delete;

  /// nullopt at the end. An error is final.
  Result<std::optional<Delta>> Next();

 private:
  void ReadAll();
  /// False when the owner no longer wants it.
  bool Put(Delta&& delta);

  const fs::path folder_;
  const SnapshotManifest& manifest_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Delta> ready_;
  Result<void> outcome_;
  bool done_ = false;
  bool abandoned_ = false;

  std::thread reader_;
};

DeltaStream::DeltaStream(fs::path folder, const SnapshotManifest& manifest)
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

/// SnapshotWriter begins a new snapshot with a fresh delta.
Error FreshInTheMiddle(const Delta& delta) {
  return Error{ErrorCode::kCorrupt,
               fmt::format("expected a fresh delta only at the beginning, found one from seq {} "
                           "after other deltas",
                           delta.seq_first)};
}

/// The totals in the manifest must be the totals of its segments.
Result<void> CheckAgrees(const SnapshotManifest& manifest, uint64_t seq, uint64_t entries) {
  if (seq == manifest.seq && entries == manifest.entries()) return {};
  return Error{ErrorCode::kCorrupt,
               fmt::format("expected segments that end at seq {} and hold {} entries, found seq {} "
                           "and {} entries",
                           manifest.seq, manifest.entries(), seq, entries)};
}

Result<std::unique_ptr<LaneState>> Fold(const fs::path& folder, const SnapshotManifest& manifest,
                                        const FilterOptions& options,
                                        const SnapshotEvents& events) {
  const std::string spec = FingerprintSpec(options);
  if (manifest.spec != spec) {
    return Error{ErrorCode::kMismatch, fmt::format("written with other fingerprint settings: {}",
                                                   SpecDifference(spec, manifest.spec))};
  }
  NEARDUP_ASSIGN(std::unique_ptr<LaneState> state, LaneState::New(options, manifest.lane));
  NEARDUP_TRY(FoldSnapshot(folder, manifest, *state, events));
  return state;
}

Result<RestoredSnapshot> Restore(const fs::path& folder, uint64_t number,
                                 const FilterOptions& options, uint16_t lane,
                                 const SnapshotEvents& events) {
  NEARDUP_ASSIGN(SnapshotManifest manifest, ReadSnapshotManifest(folder, lane, number));
  auto state = Fold(folder, manifest, options, events);
  if (!state.ok()) return Named(ManifestPath(folder, number).string(), state.error());
  return RestoredSnapshot{std::move(manifest), std::move(state).value()};
}

}  // namespace

Result<SnapshotManifest> ReadSnapshotManifest(const fs::path& folder, uint16_t lane,
                                              uint64_t number) {
  const fs::path path = ManifestPath(folder, number);
  const Result<std::string> text = ReadFile(path);
  if (!text.ok()) return Named(path.string(), text.error());
  Result<SnapshotManifest> manifest = DecodeSnapshotManifest(*text);
  if (!manifest.ok()) return Named(path.string(), manifest.error());
  if (manifest->number != number || manifest->lane != lane) {
    return Error{ErrorCode::kMismatch,
                 fmt::format("{}: expected number {} of lane {}, found number {} of lane {}; the "
                             "file was renamed or copied; remove this folder while the instance is "
                             "stopped",
                             path.string(), number, lane, manifest->number, manifest->lane)};
  }
  return manifest;
}

Result<void> FoldSnapshot(const fs::path& folder, const SnapshotManifest& manifest,
                          LaneState& state, const SnapshotEvents& events) {
  DeltaStream deltas(folder, manifest);
  uint64_t entries = 0;
  state.filter().BeginRestore();
  while (true) {
    NEARDUP_ASSIGN(std::optional<Delta> delta, deltas.Next());
    if (!delta) break;
    if (delta->fresh && !state.empty()) return FreshInTheMiddle(*delta);
    entries += delta->entries.size();
    NEARDUP_TRY(state.Apply(std::move(*delta)));
    if (events.progress) events.progress(entries, manifest.entries());
  }
  state.filter().EndRestore();
  return CheckAgrees(manifest, state.seq(), entries);
}

Result<void> CheckSnapshot(const fs::path& folder, const SnapshotManifest& manifest) {
  DeltaStream deltas(folder, manifest);
  uint64_t seq = 0;
  uint64_t entries = 0;
  for (bool first = true;; first = false) {
    NEARDUP_ASSIGN(const std::optional<Delta> delta, deltas.Next());
    if (!delta) return CheckAgrees(manifest, seq, entries);
    if (delta->lane != manifest.lane || delta->spec != manifest.spec) {
      return Error{
          ErrorCode::kMismatch,
          fmt::format("the delta from seq {} has another lane or other fingerprint settings "
                      "than the manifest",
                      delta->seq_first)};
    }
    if (!first && delta->fresh) return FreshInTheMiddle(*delta);
    if (!first && delta->seq_first != seq + 1) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("a hole: expected seq {}, found {}", seq + 1, delta->seq_first)};
    }
    seq = delta->seq_last;
    entries += delta->entries.size();
  }
}

Result<std::optional<RestoredSnapshot>> RestoreSnapshot(const fs::path& folder,
                                                        const FilterOptions& options, uint16_t lane,
                                                        const SnapshotEvents& events) {
  NEARDUP_TRY(CheckOptions(options));
  const Result<SnapshotNumbers> found = ListSnapshots(folder);
  if (!found.ok()) {
    const bool absent = found.error().code == ErrorCode::kNotFound;
    if (!absent && events.refused) events.refused(found.error());
    return std::optional<RestoredSnapshot>();
  }
  for (const uint64_t number : found->manifests) {
    Result<RestoredSnapshot> restored = Restore(folder, number, options, lane, events);
    if (restored.ok()) return std::optional<RestoredSnapshot>(std::move(*restored));
    if (events.refused) events.refused(restored.error());
  }
  return std::optional<RestoredSnapshot>();
}

}  // namespace neardup
