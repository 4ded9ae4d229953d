// The lane: one index, one order of decisions, one changelog partition, one transactional writer.
//
//   standby   follows the changelog; becomes a candidate for the lease when it has caught up; is
//             promoted when it gets the lease, or sees that the active process has ended
//   promote   locks other instances out, reads the changelog to its end, and reads the inputs from
//             where its last delta ends
//   active    polls, fingerprints, decides and publishes; commits outputs, delta and offsets in one
//             transaction; meanwhile decides the first records of the next one
//   recover   aborts the transaction and decides its records again, or goes back to standby
//
// An active lane handles an error in one of three ways. After kAborted, it aborts the transaction,
// rolls back what is uncommitted, and decides the same records again. After another error that a
// retry can repair, it rolls back and is promoted again, as at a start: the changelog says whether
// a commit of unknown outcome happened, and the records that it did not cover are polled again. A
// final error ends the process. So does a right that has been missing since the start. A reader of
// committed records sees each record decided exactly once, because it never sees anything
// uncommitted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "neardup/result.h"
#include "stream/lane/active_loop.h"
#include "stream/lane/candidacy.h"
#include "stream/lane/lane_inputs.h"
#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/lane/state_follower.h"
#include "stream/state/lane_state.h"
#include "stream/state/snapshot_restore.h"

namespace neardup {

// When a lane that was lost is taken again, and when not any more.

/// One owner thread; the options and the clock must outlive it.
class LaneRetry {
 public:
  LaneRetry(const LaneOptions& options, const Clock& clock) : options_(options), clock_(clock) {}

  /// Time until the lane may be taken again; 0 if it may be taken now.
  int64_t wait_ms() const;
  /// The lane is active.
  void Promoted() { promoted_at_ms_ = clock_.SteadyMs(); }
  /// The lane has committed more than the deltas of a promotion.
  void Worked();
  /// A step of the active lane went well, even if nothing has arrived to commit.
  void StepDone();
  /// The lane was lost. Each loss in a row makes the wait longer.
  void Lost(const Error& error);
  /// A lane that has worked lost a right, which may come back. If the right was never there since
  /// the start, it is missing in the set-up, and after LaneOptions::lease_give_up_ms the end of the
  /// process tells so. Call it with each error that loses the lane.
  bool IsRefusedForGood(const Error& error);

 private:
  const LaneOptions& options_;
  const Clock& clock_;

  int64_t not_before_ms_ = 0;
  int64_t backoff_ms_ = 0;
  int64_t promoted_at_ms_ = 0;
  bool has_worked_ = false;
  std::optional<int64_t> refused_since_ms_;
  int64_t refused_last_ms_ = 0;
};

/// Only one thread may call it.
class Lane {
 public:
  /// `snapshot` was restored from disk with the same options. The lane reads the changelog from
  /// there on, if the snapshot fits it.
  static Result<std::unique_ptr<Lane>> New(const LaneOptions& options, const LanePorts& ports,
                                           std::optional<RestoredSnapshot> snapshot = {});

  /// Does a bounded piece of work: about 100 ms, or a promotion. Returns false when the source is
  /// exhausted and everything is committed. A promotion that still restores ends early when `stop`
  /// becomes true. An error is final: the lane cannot continue.
  Result<bool> Step(const std::atomic<bool>& stop = kNoStop);
  /// Commits what is decided and gives the lease up. Do not use the lane afterwards.
  Result<void> Drain();

  LanePhase phase() const { return phase_; }
  const LaneState& state() const { return *state_; }

 private:
  static constexpr std::atomic<bool> kNoStop{false};

  Lane(const LaneOptions& options, const LanePorts& ports, std::unique_ptr<LaneState> state);

  void SetPhase(LanePhase phase);

  Result<void> StandbyStep(const std::atomic<bool>& stop);
  Result<void> JoinIfCaughtUp();
  Result<bool> MayTakeOver();
  void ReportCaughtUp();
  Result<void> Promote(const std::atomic<bool>& stop);

  Result<void> ActiveStep();
  Result<void> AwaitLease(bool held);
  Result<void> CountMissing();
  void ReportGauges();

  /// Handles an error of a step: aborts and rewinds, or gives the lane up, or returns the error
  /// because it is final.
  Result<void> Recover(const Error& error);
  Result<void> AbortAndRewind(const Error& error);
  void Lose(const Error& error);

  LaneOptions options_;
  LanePorts ports_;
  std::unique_ptr<LaneState> state_;
  LanePhase phase_ = LanePhase::kStarting;

  StateFollower follower_;
  Candidacy candidacy_;
  bool caught_up_ = false;
  /// It took the lane from a process that had ended, and the lease has not come since.
  bool awaits_lease_ = false;
  int64_t confirm_at_ms_ = 0;

  LaneInputs inputs_;
  ActiveLoop loop_;
  LaneRetry retry_;
  int64_t gauges_at_ms_ = 0;
  uint64_t entries_missing_ = 0;  ///< of a standby that has read all
};

}  // namespace neardup
