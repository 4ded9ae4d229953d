// The lane: one index, one order of decisions, one changelog partition, one transactional writer.
//
//   standby   follows the changelog; becomes a candidate for the lease when it has caught up
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
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "state/lane_state.h"
#include "state/snapshot_restore.h"
#include "stream/batch_reader.h"
#include "stream/candidacy.h"
#include "stream/changelog_follower.h"
#include "stream/dead_letter_watch.h"
#include "stream/decided_batch.h"
#include "stream/fingerprint_pool.h"
#include "stream/lane_inputs.h"
#include "stream/lane_options.h"
#include "stream/open_transaction.h"
#include "stream/ports.h"
#include "stream/probe.h"
#include "stream/refused_records.h"
#include "stream/route_header.h"

namespace neardup {

/// What a lane works with. All of them must outlive the lane.
struct LanePorts {
  Source& source;
  Changelog& changelog;
  Transaction& transaction;
  Lease& lease;
  Clock& clock;
  Probe& probe;
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
  Result<void> AskGoal();
  Result<void> JoinIfCaughtUp();
  void ReportCaughtUp();
  Result<void> FollowChangelog(int timeout_ms);
  /// The follower starts over, because this is not the log that the state was read from.
  Result<void> LeaveLog(const std::string& why);
  Result<void> DiscardState(const std::string& why);
  Result<void> Fold(const ChangelogRecord& record);
  Result<void> CheckSettings();
  /// What is known of the topics of the lane.
  PipelineTopics LaneTopics() const;
  /// kMismatch if the newest delta of the changelog is of another pipeline.
  Result<void> CheckPipeline();

  Result<void> Promote(const std::atomic<bool>& stop);
  /// Returns the end that it has read to; nullopt when `stop` ended it early.
  Result<std::optional<int64_t>> RestoreToEnd(const std::atomic<bool>& stop);
  /// As RestoreToEnd. A snapshot with fewer entries than are live gives way to the changelog.
  Result<std::optional<int64_t>> RestoreAll(const std::atomic<bool>& stop);
  /// An error, or a report, if the changelog lost what was committed to it. `end`: where it ended
  /// when it was read.
  Result<void> CheckChangelog(int64_t end);
  /// False, and starts over, if the newest delta of the state is not the newest one of the log.
  Result<bool> ConfirmLog();
  Result<void> ConfirmEnd(int64_t end, int64_t opening_deltas);

  Result<void> ActiveStep();
  /// LaneInputs::Refresh. Says that something is lost only while this instance owns the lane.
  Result<void> RefreshInputs();
  /// Takes the batch that was read ahead. If none was, reads one, and waits up to `timeout_ms` for
  /// its first record.
  Result<void> TakeBatch(DecidedBatch& to, int64_t timeout_ms);
  /// Begins to read the batch behind the one at hand, so that it is polled and fingerprinted while
  /// the lane decides, publishes and commits. Does nothing if that was begun, or must not be.
  void ReadAhead(int timeout_ms);
  size_t records_to_poll() const;
  /// Decides the batch at hand as far as it is not decided, and publishes it.
  Result<void> DecideAndPublish();
  /// Looks up the records that are not decided.
  std::span<const LookedUp> LookUp(const DecidedBatch& batch);
  Result<void> DecideNext(DecidedBatch& batch, const LookedUp& found);
  Result<void> PublishNext(DecidedBatch& batch);
  Result<void> Commit();
  /// As Commit. While the commit waits, it reads the next batches and decides them. They belong to
  /// the next transaction, which it begins with them.
  Result<void> CommitAndDecideAhead();
  Result<void> Commit(const Meanwhile& meanwhile);
  /// Begins the transaction of what was decided ahead.
  Result<void> BeginWithAhead();
  /// Decides a batch that was read while a commit waits. False: none is ready, or none may be
  /// decided before the commit.
  Result<bool> DecideAhead();
  /// Fails if too many records are dead letters, and the options say so or nothing was committed.
  Result<void> CheckDeadLetters();
  void CountCommitted();
  /// Commits the positions of inputs that moved without a record. No transaction may be open.
  Result<void> CommitPositions();
  void ReportGauges();

  /// Handles an error of a step: aborts and rewinds, or gives the lane up, or returns the error
  /// because it is final.
  Result<void> Recover(const Error& error);
  Result<void> AbortAndRewind(const Error& error);
  void Lose(const Error& error);
  /// A lane that has worked lost a right, which may come back. If the right was never there since
  /// the start, it is missing in the set-up, and after LaneOptions::lease_give_up_ms the end of the
  /// process tells so.
  bool IsRefusedForGood(const Error& error);
  void Forget();

  LaneOptions options_;
  LanePorts ports_;
  std::unique_ptr<LaneState> state_;
  LanePhase phase_ = LanePhase::kStarting;

  ChangelogFollower follower_;
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
  Candidacy candidacy_;
  /// What a standby must read before it is a candidate.
  struct Goal {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t asked_at_ms = 0;
  };
  std::optional<Goal> goal_;
  bool caught_up_ = false;

  LaneInputs inputs_;
  FingerprintPool pool_;
  BatchReader reader_;
  DecidedBatch batch_;  ///< at hand; empty between two steps
  /// Decided while a commit waits, in order; of the last one perhaps only the first records. Empty
  /// otherwise. All of it and the transaction that commits together have at most UncommittedMax
  /// records.
  std::deque<DecidedBatch> ahead_;
  size_t ahead_bytes_ = 0;           ///< what its decided records count in a transaction
  int64_t ahead_since_ms_ = 0;       ///< when the first of them was decided
  double ahead_s_ = 0;               ///< time that these decisions took during the commit
  std::vector<DecidedBatch> spare_;  ///< memory for the next of them
  RouteHeaderWriter header_writer_;
  OpenTransaction open_;
  RefusedRecords refused_;
  DeadLetterWatch dead_letters_;

  int64_t retry_not_before_ms_ = 0;
  int64_t backoff_ms_ = 0;
  int64_t promoted_at_ms_ = 0;
  bool has_worked_ = false;  ///< has committed more than the deltas of a promotion
  std::optional<int64_t> refused_since_ms_;
  int64_t refused_last_ms_ = 0;
  int64_t mark_at_ms_ = 0;
  int64_t gauges_at_ms_ = 0;
  int64_t positions_at_ms_ = 0;
};

}  // namespace neardup
