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

#include "lane/active_loop.h"
#include "lane/candidacy.h"
#include "lane/lane_inputs.h"
#include "lane/lane_options.h"
#include "lane/lane_ports.h"
#include "lane/lane_retry.h"
#include "lane/probe.h"
#include "lane/state_follower.h"
#include "neardup/result.h"
#include "state/lane_state.h"
#include "state/snapshot_restore.h"

namespace neardup {

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
};

}  // namespace neardup
