// Keeps the state of a lane level with its changelog: while the lane stands by, when it is
// promoted, and after each commit.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "neardup/result.h"
#include "stream/lane/changelog_follower.h"
#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/state/lane_state.h"
#include "stream/state/pipeline.h"
#include "stream/state/snapshot.h"

namespace neardup {

/// The changelog may be purged, deleted and created again, or restored from a copy at any time.
/// What this instance remembers counts only as long as the log shows it: otherwise the state is
/// cleared and read again from the beginning of the log.
///
/// One owner thread; all that it is given must outlive it.
class StateFollower {
 public:
  StateFollower(const LaneOptions& options, Changelog& changelog, LaneState& state,
                const Clock& clock, Probe& probe);

  /// The state comes from a snapshot. It is cleared if that is a snapshot of another changelog.
  Result<void> StartBehind(const SnapshotManifest& manifest);

  // --- Following, while another instance may own the lane ---

  /// Folds what is committed into the state. Waits up to `timeout_ms` for the first record.
  Result<void> Follow(int timeout_ms);
  /// Sets or renews the goal: what a standby must read before it is a candidate.
  Result<void> AskGoal();
  void DropGoal() { goal_.reset(); }
  bool has_goal() const { return goal_.has_value(); }
  /// The share of the way to the goal that is read, 0 to 1; nullopt when the goal is reached. There
  /// must be a goal.
  std::optional<double> ShareRead() const;
  /// Whether everything is read that is committed now. Asks the brokers.
  Result<bool> HasReadAll();
  /// kMismatch if the newest delta of the changelog is of another pipeline.
  Result<void> CheckPipeline();
  /// What is known of the topics of the lane.
  PipelineTopics topics() const;
  /// Inputs may have got other numbers since the last call.
  bool TakeRenumbered() { return std::exchange(renumbered_, false); }

  // --- Promotion, after Transaction::Fence: no other instance can append to the log ---

  /// Reads the log to its end, and makes sure that it is the log that the state is of. Returns the
  /// end; nullopt when `stop` ended it early.
  Result<std::optional<int64_t>> Restore(const std::atomic<bool>& stop);
  /// An error, or a report, if the changelog lost what was committed to it. `end`: where it ended
  /// when it was read. `group`: where the consumer group is.
  Result<void> CheckLoss(int64_t end, const std::vector<GroupPosition>& group);
  /// The opening deltas of the lane are committed, and must stand right after `end`. Otherwise
  /// that end came from a broker that no longer led the partition, and the state does not hold all
  /// deltas.
  Result<void> ConfirmEnd(int64_t end, int64_t opening_deltas);
  /// From now on this lane knows what it writes.
  void BeginToOwn();

  // --- The deltas of this lane ---

  /// Call it before the deltas of a commit are published. It moves the offset once in a while from
  /// which the log is read when the lane is lost. kUnavailable if the log ends too early.
  Result<void> BeforeDeltas();
  /// The deltas are committed. `newest_delta`: Hash64 of the last one.
  void Committed(uint64_t newest_delta);
  /// The lane is lost. What follows in the log may be of another instance.
  void Lost() { log_.Close(); }

  /// Every record of the log below this offset is known.
  /// True: what it has restored from a snapshot lacks live entries, so it reads the changelog from
  /// its beginning instead.
  Result<bool> ReadAgainIfIncomplete();
  int64_t next_offset() const { return log_.next_offset(); }
  /// Records that the log is known to hold, and that were not read.
  int64_t lag() const;

 private:
  struct Goal {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t asked_at_ms = 0;
  };

  Result<void> Fold(const ChangelogRecord& record);
  /// Starts over, because this is not the log that the state was read from.
  Result<void> LeaveLog(const std::string& why);
  Result<void> DiscardState(const std::string& why);
  Result<void> CheckSettings();
  Result<std::optional<int64_t>> ReadToEnd(const std::atomic<bool>& stop);
  /// As ReadToEnd. A snapshot with fewer entries than are live gives way to the changelog.
  Result<std::optional<int64_t>> ReadAll(const std::atomic<bool>& stop);
  /// False, and starts over, if the newest delta of the state is not the newest one of the log.
  Result<bool> ConfirmLog();

  const LaneOptions& options_;
  Changelog& changelog_;
  LaneState& state_;
  const Clock& clock_;
  Probe& probe_;

  ChangelogFollower log_;
  /// Checksum of the newest delta that the state holds.
  uint64_t newest_delta_ = 0;
  /// The first delta that does not follow the one before it. A log that was deleted and created
  /// again while it was read also shows one. It is gone when the log is read again.
  std::optional<ChangelogMark> hole_;
  bool found_hole_ = false;  ///< while records are visited
  /// The end of the log that the lane has left because it was not the log that it knew.
  std::optional<LogPlace> left_log_;
  /// The state does not come from the changelog alone.
  bool from_snapshot_ = false;
  /// Why the first of the deltas of other settings was refused that no fresh delta has replaced.
  std::optional<Error> other_settings_;
  std::optional<Goal> goal_;
  bool renumbered_ = false;
  /// Where the log ended before the deltas of the current commit, if that was asked.
  std::optional<int64_t> mark_;
  int64_t mark_at_ms_ = 0;
};

}  // namespace neardup
