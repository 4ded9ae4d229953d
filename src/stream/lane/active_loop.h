// What a lane does while it is active: polls, fingerprints, decides and publishes, and commits
// outputs, deltas and offsets in one transaction after the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "detect/filter/fingerprint_pool.h"
#include "neardup/result.h"
#include "stream/lane/batch_reader.h"
#include "stream/lane/dead_letters.h"
#include "stream/lane/lane_inputs.h"
#include "stream/lane/lane_options.h"
#include "stream/lane/open_transaction.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"
#include "stream/lane/refused_records.h"
#include "stream/lane/route_header.h"
#include "stream/lane/state_follower.h"
#include "stream/state/lane_state.h"

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

/// After an error of any call, only Abort and Forget are legal. One owner thread; all that it is
/// given must outlive it.
class ActiveLoop {
 public:
  ActiveLoop(const LaneOptions& options, const LanePorts& ports, LaneState& state,
             LaneInputs& inputs, StateFollower& follower);

  /// Commits the first deltas of an epoch: they make it and the start offsets of the inputs durable
  /// before any verdict. Returns their number. `renumbered`: inputs may have other numbers than
  /// before.
  Result<int64_t> Open(bool renumbered);
  /// Takes a batch, decides and publishes it, and commits if that is due. Waits about 100 ms for
  /// the first record.
  Result<void> Step();
  /// The source is exhausted, and everything is committed.
  bool has_nothing_left() const;
  /// Commits what is decided, and the positions of inputs that moved without a record.
  Result<void> CommitAll();
  /// Commits, also if there is nothing to commit. Fails if another instance has taken the lane.
  Result<void> Confirm();
  /// How many commits have succeeded so far.
  uint64_t commits() const { return commits_; }
  bool has_open_transaction() const { return open_.is_open(); }

  /// Aborts the transaction, and forgets what is not committed. Assign the inputs again afterwards.
  Result<void> Abort();
  /// Rolls back what is not committed, and drops what was read.
  void Forget();

 private:
  /// LaneInputs::Refresh. Says that something is lost only while this instance owns the lane.
  Result<void> RefreshInputs();
  /// Takes the batch that was read ahead. If none was, reads one, and waits up to `timeout_ms` for
  /// its first record.
  Result<void> TakeBatch(DecidedBatch& to, int64_t timeout_ms);
  /// Begins to read the batch after the current one, so that it is polled and fingerprinted while
  /// the lane decides, publishes and commits. Does nothing if that was begun, or must not be.
  void ReadAhead(int timeout_ms);
  size_t records_to_poll() const;
  /// Decides the current batch as far as it is not decided, and publishes it.
  Result<void> DecideAndPublish();
  /// Looks up the records that are not decided.
  std::span<const LookedUp> LookUp(const DecidedBatch& batch);
  Result<void> DecideNext(DecidedBatch& batch, const LookedUp& found);
  Result<void> PublishNext(DecidedBatch& batch);
  /// The key that replaces the key of the record (UniqueKey::kGroup); empty if it keeps its own.
  std::string GroupKeyOf(const DecidedRecord& decided, const Message& message) const;
  Result<void> Commit();
  /// As Commit. While the commit waits, it reads the next batches and decides them. They belong to
  /// the next transaction, which it begins with them.
  Result<void> CommitAndDecideAhead();
  /// Until FinishCommit, all that is decided belongs to the next transaction.
  Result<void> StartCommit();
  Result<void> FinishCommit();
  /// Begins the transaction of what was decided ahead.
  Result<void> BeginWithAhead();
  /// Reads and decides batches while the commit waits.
  Result<void> WorkUntilCommitted();
  /// Decides a batch that was read while a commit waits. False: none is ready, or none may be
  /// decided before the commit.
  Result<bool> DecideAhead();
  /// Fails if too many records are dead letters, and the options say so or nothing was committed.
  Result<void> CheckDeadLetters();
  void CountCommitted();
  void ReportSize();
  /// Commits the positions of inputs that moved without a record. No transaction may be open.
  Result<void> CommitPositions();

  const LaneOptions& options_;
  const LanePorts& ports_;
  LaneState& state_;
  LaneInputs& inputs_;
  StateFollower& follower_;

  FingerprintPool pool_;
  BatchReader reader_;
  DecidedBatch batch_;  ///< the current one; empty between two steps
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
  std::chrono::steady_clock::time_point commit_began_;
  RefusedRecords refused_;
  DeadLetterWatch dead_letters_;
  uint64_t commits_ = 0;
  size_t reported_bytes_max_ = 0;
  int64_t positions_at_ms_ = 0;
};

}  // namespace neardup
