// The lane: one index, one order of decisions, one changelog partition, one transactional writer.
//
//   standby  -> follows the changelog until the lease is held
//   promote  -> Fence, read the changelog to its end, assign the inputs where its last delta ends
//   active   -> poll, fingerprint, decide, publish; each interval commit outputs, delta, offsets
//
// Recovery is the same path as the start. Whatever goes wrong while active, the uncommitted tail is
// rolled back and the lane is taken again: the changelog says whether a commit of unknown outcome
// happened, and the records it did not cover are polled again. Nothing uncommitted was ever
// visible, so no record is decided twice for a reader of committed records.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "state/lane_state.h"
#include "state/snapshot_restore.h"
#include "stream/changelog_follower.h"
#include "stream/fingerprint_pool.h"
#include "stream/lane_options.h"
#include "stream/ports.h"
#include "stream/probe.h"
#include "stream/route_header.h"

namespace neardup {

/// What a lane works with; all must outlive it.
struct LanePorts {
  Source& source;
  Changelog& changelog;
  Transaction& transaction;
  Lease& lease;
  Clock& clock;
  Probe& probe;
};

/// One owner thread calls everything.
class Lane {
 public:
  /// `snapshot`: what was restored from disk with the same options; the changelog is then read
  /// behind it, if it fits.
  static Result<std::unique_ptr<Lane>> New(const LaneOptions& options, const LanePorts& ports,
                                           std::optional<RestoredSnapshot> snapshot = {});

  /// A bounded piece of work: some 100 ms, or a promotion. False when the source is exhausted and
  /// everything is committed. An error is final: the lane cannot go on.
  Result<bool> Step();
  /// Commits what is decided and gives the lease up. The lane is not used again.
  Result<void> Drain();
  /// Steps until `stop` or the source is exhausted, then drains.
  Result<void> Run(const std::atomic<bool>& stop);

  LanePhase phase() const { return phase_; }
  const LaneState& state() const { return *state_; }

 private:
  /// A record its output refused: how often, and what for.
  struct Refused {
    int times = 0;
    Reason reason = Reason::kUndeliverable;
    std::string text;
  };

  Lane(const LaneOptions& options, const LanePorts& ports, std::unique_ptr<LaneState> state);

  void SetPhase(LanePhase phase);
  Result<void> StandbyStep();
  void ReportCaughtUp();
  Result<void> FollowChangelog(int timeout_ms);
  Result<void> DiscardState(const std::string& why);
  Result<void> Fold(const ChangelogRecord& record);

  Result<void> Promote();
  Result<void> RestoreToEnd();
  Result<void> AssignInputs();
  Result<void> AddNewInputs(bool first_start);
  Result<void> CompareGroupOffsets();
  Result<void> Rewind();

  Result<void> ActiveStep();
  Result<void> DecideBatch();
  Result<void> Route(const Message& message, FingerprintedRecord& record, const LookedUp& found);
  bool RefusedForGood(const Message& message, FingerprintedRecord& record);
  Result<void> BeginIfNeeded();
  Result<void> CommitOpen();
  Result<void> RefreshInputs();
  void ReportPolled();
  void ReportGauges();
  void UpdateIdle();
  void Count(const Message& message, const Verdict& verdict, size_t bytes);

  /// Takes an error of an active step: aborts and rewinds, or gives the lane up, or is final.
  Result<void> Recover(const Error& error);
  Result<void> AbortAndRewind(const Error& error);
  void Lose(const Error& error);
  void Forget();

  LaneOptions options_;
  LanePorts ports_;
  std::unique_ptr<LaneState> state_;
  FingerprintPool pool_;
  RouteHeaderWriter header_writer_;

  LanePhase phase_ = LanePhase::kStarting;
  ChangelogFollower follower_;
  /// End of the changelog when the standby began; unknown before its first step.
  std::optional<int64_t> standby_end_;
  bool caught_up_ = false;
  int64_t retry_not_before_ms_ = 0;
  int64_t backoff_ms_ = 0;

  bool open_ = false;  ///< a transaction has begun
  int64_t open_since_ms_ = 0;
  size_t open_bytes_ = 0;
  CommittedBatch counted_;
  std::vector<int64_t> open_timestamps_ms_;
  std::vector<Message> batch_;
  size_t record_bytes_mean_ = 0;
  /// Refusals since the last commit.
  std::map<Position, Refused> refused_;
  std::vector<uint32_t> assigned_;                     ///< inputs that are read, by number
  std::vector<std::pair<uint64_t, uint64_t>> polled_;  ///< scratch: records, bytes by input
  std::vector<int64_t> at_end_since_ms_;
  std::vector<int64_t> last_timestamp_ms_;
  int64_t mark_at_ms_ = 0;
  int64_t refresh_at_ms_ = 0;
  int64_t gauges_at_ms_ = 0;
};

}  // namespace neardup
