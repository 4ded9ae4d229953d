// What a lane writes to its changelog, made by a real one out of random records.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "neardup/filter.h"
#include "stream/state/delta.h"
#include "stream/state/lane_state.h"
#include "stream/state/snapshot.h"

namespace neardup {

struct ChangelogRecord {
  Delta delta;
  ChangelogMark mark;
};
using Changelog = std::vector<ChangelogRecord>;

/// Text keys, and a window in which a few thousand records see expiry and capacity at work.
FilterOptions SnapshotTestOptions();

std::unique_ptr<LaneState> MakeLane(const FilterOptions& options, uint16_t lane = 0);

/// A record like many others, by `code`: codes a few bits apart are near duplicates.
FingerprintedRecord MakeRecord(Position position, int64_t time_ms, uint64_t code);

/// An active lane that decides, commits, rolls back, finds new inputs and is restarted.
class LaneHistory {
 public:
  LaneHistory(const FilterOptions& options, uint64_t seed);

  /// The next transaction, or something else that a lane meets.
  void Step();
  /// Decides so many records and commits them, even if there are none.
  void Commit(size_t records);
  /// Throws the lane away, folds the changelog and opens a new epoch.
  void Restart();
  void AddInput();

  const Changelog& changelog() const { return changelog_; }
  const LaneState& state() const { return *state_; }
  std::mt19937_64& random() { return random_; }

 private:
  void DecideOne();

  FilterOptions options_;
  std::mt19937_64 random_;
  std::unique_ptr<LaneState> state_;
  Changelog changelog_;
  int64_t next_offset_ = 100;
  int64_t time_ms_ = 1'700'000'000'000;
  uint64_t families_ = 0;
  int32_t partitions_ = 0;
};

/// A lane of these options after the deltas [begin, end) of the changelog.
std::unique_ptr<LaneState> Folded(const FilterOptions& options, const Changelog& changelog,
                                  size_t begin, size_t end);
/// How many deltas of the changelog end at or before this offset.
size_t CountUpTo(const Changelog& changelog, int64_t offset);

/// Progress, horizon and number of entries.
void ExpectSameProgress(const LaneState& a, const LaneState& b);
/// Shows both the same records, copies and near copies of what the changelog holds among them. Both
/// are left as they were.
void ExpectSameVerdicts(LaneState& a, LaneState& b, const Changelog& changelog, size_t end);

}  // namespace neardup
