#include "stream/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/random_id.h"
#include "state/delta.h"

namespace neardup {

namespace {

constexpr int kPollTimeoutMs = 100;
// How long a batch that is read ahead waits for its first record. The lane takes it when it has
// decided the batch before, which may be all that there is.
constexpr int kBesideDecisionsMs = 1;
constexpr int kBesideCommitMs = 10;
// After fencing, another instance may be active. By then the lease has heard of it.
constexpr int64_t kFencedBackoffMs = 1000;
constexpr int64_t kGaugesPeriodMs = 1000;
// How often the offset is moved from which the changelog is read after the lane is lost.
constexpr int64_t kMarkPeriodMs = 60'000;
// How often positions that moved without a record are made durable. If retention deletes what lies
// behind them, a start within this time would find its offset gone.
constexpr int64_t kPositionsPeriodMs = 10'000;
// How often a standby asks again how far it must read.
constexpr int64_t kGoalPeriodMs = 5'000;
// Refusals that are this many of the longest waits apart do not belong together.
constexpr int64_t kRefusalsApart = 3;

class StageTimer {
 public:
  explicit StageTimer(Probe& probe) : probe_(probe) {}
  /// Reports the time since the last lap, without `other_s` seconds of it, and returns it.
  double Lap(Stage stage, double other_s = 0) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - started_).count() - other_s;
    probe_.StageTimed(stage, seconds);
    started_ = now;
    return seconds;
  }

 private:
  Probe& probe_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::unique_ptr<Lane>> Lane::New(const LaneOptions& options, const LanePorts& ports,
                                        std::optional<RestoredSnapshot> snapshot) {
  if (!snapshot) {
    NEARDUP_ASSIGN(std::unique_ptr<LaneState> state, LaneState::New(options.filter, options.lane));
    return std::unique_ptr<Lane>(new Lane(options, ports, std::move(state)));
  }
  std::unique_ptr<Lane> lane(new Lane(options, ports, std::move(snapshot->state)));
  const std::string& of = snapshot->manifest.changelog;
  if (!of.empty() && of != ports.changelog.name()) {
    NEARDUP_TRY(lane->DiscardState(
        fmt::format("the snapshot is of changelog {}, this is {}", of, ports.changelog.name())));
    return lane;
  }
  lane->follower_.StartBehind(snapshot->manifest.end);
  lane->newest_delta_ = snapshot->manifest.end.checksum;
  lane->from_snapshot_ = true;
  return lane;
}

Lane::Lane(const LaneOptions& options, const LanePorts& ports, std::unique_ptr<LaneState> state)
    : options_(options),
      ports_(ports),
      state_(std::move(state)),
      follower_(ports.changelog),
      candidacy_(options_, ports.lease, ports.clock),
      inputs_(options_, ports.source, ports.clock, ports.probe),
      pool_(options.filter, options.fingerprint_threads),
      reader_(ports.source, pool_),
      header_writer_(options.headers),
      open_(options_, ports.transaction, ports.clock),
      dead_letters_(options_.dead_letters, options_.filter.record) {
  state_->SetLearned(options_.learned);
  state_->SetTopics(options_.pipeline.topics);
  ports_.probe.PhaseChanged(phase_);
}

Result<bool> Lane::Step(const std::atomic<bool>& stop) {
  if (phase_ != LanePhase::kActive && ports_.clock.SteadyMs() < retry_not_before_ms_) {
    ports_.clock.SleepMs(
        std::min(retry_not_before_ms_ - ports_.clock.SteadyMs(), int64_t{kPollTimeoutMs}));
    return true;
  }
  const Result<void> worked = phase_ == LanePhase::kActive ? ActiveStep() : StandbyStep(stop);
  if (worked.ok()) {
    candidacy_.StepDone();
  } else {
    if (const Result<void> recovered = Recover(worked.error()); !recovered.ok()) {
      SetPhase(LanePhase::kFailed);
      return recovered.error();
    }
  }
  const bool nothing_left =
      inputs_.exhausted() && batch_.size() == 0 && !reader_.has_begun() && !open_.is_open();
  return !(phase_ == LanePhase::kActive && nothing_left);
}

Result<void> Lane::Drain() {
  SetPhase(LanePhase::kDraining);
  Result<void> committed = open_.is_open() ? Commit() : CommitPositions();
  if (!committed.ok()) Lose(committed.error());
  reader_.Discard();
  ports_.lease.Release();
  // What did not commit was never visible. It is decided again after the next start.
  const bool final = !committed.ok() && committed.error().fatal;
  return final ? committed : Result<void>();
}

void Lane::SetPhase(LanePhase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  ports_.probe.PhaseChanged(phase);
}

// ---- standby

Result<void> Lane::StandbyStep(const std::atomic<bool>& stop) {
  NEARDUP_ASSIGN(const bool held, ports_.lease.Held());
  if (held) {
    candidacy_.Join();  // the lease may be older than this lane
    return Promote(stop);
  }
  SetPhase(LanePhase::kStandby);
  if (!candidacy_.is_candidate()) NEARDUP_TRY(AskGoal());
  NEARDUP_TRY(JoinIfCaughtUp());  // there may be nothing to read
  const uint64_t seq_before = state_->seq();
  NEARDUP_TRY(FollowChangelog(kPollTimeoutMs));
  NEARDUP_TRY(JoinIfCaughtUp());
  NEARDUP_TRY(CheckPipeline());
  if (state_->seq() > seq_before) ports_.probe.Followed(state_->seq());
  ReportGauges();
  return {};
}

Result<void> Lane::AskGoal() {
  const int64_t now_ms = ports_.clock.SteadyMs();
  if (goal_ && now_ms - goal_->asked_at_ms < kGoalPeriodMs) return {};
  NEARDUP_ASSIGN(const int64_t end, follower_.CommittedEnd());
  // The goal does not run away from a slow reader. It may come nearer, if a broker that no longer
  // led the partition has named it.
  goal_ = goal_ ? Goal{goal_->begin, std::min(goal_->end, end), now_ms}
                : Goal{follower_.next_offset(), end, now_ms};
  return {};
}

/// Makes this instance a candidate once it has read what was committed when it began. No instance
/// can be active before it has read that, so that an earlier candidate would win nothing.
Result<void> Lane::JoinIfCaughtUp() {
  if (!goal_) return {};
  const int64_t next = follower_.next_offset();
  const bool checked = follower_.is_open() || next == 0;  // a snapshot may not fit this changelog
  if (next < goal_->end || !checked) {
    const auto total = static_cast<double>(std::max<int64_t>(1, goal_->end - goal_->begin));
    const double share = static_cast<double>(next - goal_->begin) / total;
    ports_.probe.Restoring(std::clamp(share, 0.0, 1.0), state_->filter().entries());
    return {};
  }
  NEARDUP_TRY(CheckPipeline());
  ReportCaughtUp();
  candidacy_.Join();
  if (candidacy_.is_candidate()) goal_.reset();
  return {};
}

/// Reported once. From then on a standby is only moments behind.
void Lane::ReportCaughtUp() {
  if (caught_up_) return;
  caught_up_ = true;
  ports_.probe.CaughtUp(state_->seq(), state_->filter().entries());
}

Result<void> Lane::FollowChangelog(int timeout_ms) {
  const Result<bool> resumed =
      follower_.Poll(timeout_ms, [this](const ChangelogRecord& record) { return Fold(record); });
  if (std::exchange(found_hole_, false)) return LeaveLog(resumed.error().text);
  if (!resumed.ok()) return resumed.error();
  if (*resumed) return CheckSettings();
  return follower_.is_another_log() ? LeaveLog(follower_.why()) : DiscardState(follower_.why());
}

/// What this instance remembers no longer counts, only what the log says. If it is the same log
/// and has lost its end, the next promotion finds out.
Result<void> Lane::LeaveLog(const std::string& why) {
  follower_.StartOver();
  if (!state_->empty() && !left_log_) left_log_ = state_->place();
  return DiscardState(why);
}

/// Deltas of other settings may only be followed by a fresh delta of these settings.
Result<void> Lane::CheckSettings() {
  if (!other_settings_ || !follower_.is_open()) return {};
  NEARDUP_ASSIGN(const int64_t end, follower_.End());
  return follower_.next_offset() < end ? Result<void>() : *other_settings_;
}

PipelineTopics Lane::LaneTopics() const {
  return state_->empty() ? PipelineTopics() : state_->lane_topics();
}

/// Deltas of another pipeline may be followed by one that changes the topics to those of this one.
Result<void> Lane::CheckPipeline() {
  const PipelineTopics found = LaneTopics();
  if (Compare(options_.pipeline, found) != PipelineMatch::kOther) return {};
  NEARDUP_ASSIGN(const int64_t end, follower_.CommittedEnd());
  if (follower_.next_offset() < end) return {};
  return OtherPipeline(options_.pipeline, found, ports_.changelog.name());
}

/// Costs time and loses nothing: the changelog holds everything that is live.
Result<void> Lane::DiscardState(const std::string& why) {
  ports_.probe.StateDiscarded(why);
  refused_.Clear();  // inputs may get other numbers
  other_settings_.reset();
  from_snapshot_ = false;
  newest_delta_ = 0;
  return state_->Clear();
}

Result<void> Lane::Fold(const ChangelogRecord& record) {
  const auto at_offset = [&](Error error) {
    error.text = fmt::format("changelog offset {}: {}", record.offset, error.text);
    error.fatal = true;
    return error;
  };
  const Result<Delta> delta = DecodeDelta(record.bytes);
  if (!delta.ok()) return at_offset(delta.error());
  const bool decided_any = delta->seq_first <= delta->seq_last;
  const bool known =
      delta->writer == state_->writer() &&
      (delta->seq_last < state_->seq() || (decided_any && delta->seq_last == state_->seq()));
  if (other_settings_ && !delta->fresh) return {};
  // Committed by this instance before it lost the lane.
  if (!state_->empty() && known && !delta->fresh) return {};
  const ChangelogMark mark{record.offset, Hash64(record.bytes)};
  const bool follows =
      state_->empty() || delta->fresh || FollowsDelta(*delta, state_->writer(), state_->seq());
  if (!follows && delta->lane == options_.lane && hole_ != mark) {
    hole_ = mark;
    found_hole_ = true;
    return DeltaDoesNotFollow(record.offset);
  }
  const Result<void> applied = state_->Apply(*delta);
  if (applied.ok()) {
    newest_delta_ = mark.checksum;
    if (delta->fresh) {
      refused_.Clear();  // inputs may have got other numbers
      other_settings_.reset();
    }
    return {};
  }
  if (applied.error().code != ErrorCode::kMismatch || delta->lane != options_.lane) {
    return at_offset(applied.error());
  }
  if (!other_settings_) other_settings_ = at_offset(applied.error());
  return {};
}

// ---- promotion

Result<void> Lane::Promote(const std::atomic<bool>& stop) {
  SetPhase(LanePhase::kRestoring);
  const int64_t started_ms = ports_.clock.SteadyMs();
  // Fence first: afterwards no other instance can append to the changelog, so its end is final.
  NEARDUP_TRY(ports_.transaction.Fence());
  NEARDUP_ASSIGN(std::optional<int64_t> end, RestoreAll(stop));
  if (!end) return {};
  NEARDUP_ASSIGN(const bool is_our_log, ConfirmLog());
  if (!is_our_log) {
    NEARDUP_ASSIGN(end, RestoreAll(stop));
    if (!end) return {};
    NEARDUP_ASSIGN(const bool confirmed, ConfirmLog());
    if (!confirmed) {
      return Retriable(ErrorCode::kUnavailable,
                       "the changelog was replaced while it was read; reading it again");
    }
  }
  NEARDUP_TRY(CheckPipeline());
  const PipelineTopics before = LaneTopics();
  NEARDUP_TRY(inputs_.Find(*state_));
  NEARDUP_TRY(CheckChangelog(*end));
  NEARDUP_TRY(inputs_.Assign(*state_));
  state_->StartEpoch(DrawId());
  // This first delta makes the epoch and the start offsets of the inputs durable before any
  // verdict.
  NEARDUP_TRY(open_.Begin());
  const auto opening_deltas = static_cast<int64_t>(state_->Uncommitted().size());
  NEARDUP_TRY(Commit());
  NEARDUP_TRY(ConfirmEnd(*end, opening_deltas));
  if (Compare(options_.pipeline, before) == PipelineMatch::kChanges) {
    ports_.probe.PipelineChanged(before, options_.pipeline.topics);
  }
  caught_up_ = true;
  left_log_.reset();
  hole_.reset();
  promoted_at_ms_ = ports_.clock.SteadyMs();
  follower_.Close();  // this lane knows what it writes
  SetPhase(LanePhase::kActive);
  const auto seconds = static_cast<double>(ports_.clock.SteadyMs() - started_ms) / 1000;
  ports_.probe.Promoted(state_->seq(), state_->filter().entries(), seconds);
  return {};
}

Result<std::optional<int64_t>> Lane::RestoreAll(const std::atomic<bool>& stop) {
  NEARDUP_ASSIGN(const std::optional<int64_t> end, RestoreToEnd(stop));
  if (!end || !from_snapshot_ || state_->entries_missing().value_or(0) == 0) return end;
  follower_.StartOver();
  NEARDUP_TRY(
      DiscardState("the snapshot holds fewer entries than are live; it was kept by an "
                   "instance with another window.entries_max"));
  return RestoreToEnd(stop);
}

Result<void> Lane::CheckChangelog(int64_t end) {
  // Without the offsets of the group, a changelog that lost its end looks like an older one, and
  // records would be decided again.
  NEARDUP_ASSIGN(const std::vector<GroupPosition> group,
                 inputs_.GroupOffsets(*state_, ports_.transaction));
  const std::optional<std::string> loss = FindChangelogLoss(
      *state_, from_snapshot_ ? std::nullopt : std::optional(follower_.begin_offset()), group,
      left_log_);
  if (!loss) return {};
  // A broker that no longer leads the changelog names an end that lies before the true one.
  NEARDUP_ASSIGN(const int64_t end_now, follower_.End());
  if (end_now > end) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("the changelog ended at offset {} when it was read, and ends at "
                                 "offset {} now; reading on",
                                 end, end_now));
  }
  if (options_.on_changelog_loss == OnLoss::kFail) {
    return ChangelogLossRefused(ports_.changelog.name(), *loss);
  }
  ports_.probe.ChangelogLost(ports_.changelog.name(), *loss);
  GoOnAtTheGroup(*state_, group);
  return {};
}

/// The records may have been read ahead, and an instance that was paused may have read all of them
/// before the log was deleted and created again. So the brokers are asked once more, after the
/// fence.
Result<bool> Lane::ConfirmLog() {
  if (!ports_.changelog.keeps_deltas() || state_->empty()) return true;
  const std::optional<ChangelogMark>& newest = follower_.newest();
  const bool is_read = newest && newest->checksum == newest_delta_;
  if (is_read) {
    NEARDUP_ASSIGN(const bool held, follower_.StillHoldsNewest());
    if (held) return true;
  }
  NEARDUP_TRY(LeaveLog(
      "the changelog does not end with the delta that this instance knows as its newest: it was "
      "deleted and created again, or restored from a copy, or truncated; reading it from its "
      "beginning"));
  return false;
}

/// The opening delta must stand right behind the end that was read. Otherwise that end came from a
/// broker that no longer led the partition, and the lane has not read all deltas.
Result<void> Lane::ConfirmEnd(int64_t end, int64_t opening_deltas) {
  if (!ports_.changelog.keeps_deltas()) return {};
  NEARDUP_ASSIGN(const int64_t now, follower_.End());
  // The marker of the commit follows the deltas, soon after the commit.
  const int64_t most = end + opening_deltas + 1;
  if (now >= end + opening_deltas && now <= most) return {};
  NEARDUP_TRY(DiscardState(fmt::format(
      "the changelog ended at offset {} when it was read, and after {} more deltas at offset {}; a "
      "broker that no longer led the partition has named one of these ends",
      end, opening_deltas, now)));
  follower_.StartOver();
  return Retriable(
      ErrorCode::kUnavailable,
      fmt::format("the changelog grew from offset {} to {}, expected at most {}", end, now, most));
}

Result<std::optional<int64_t>> Lane::RestoreToEnd(const std::atomic<bool>& stop) {
  NEARDUP_ASSIGN(const int64_t end, follower_.End());
  const int64_t begin = follower_.next_offset();
  int64_t moved_at_ms = ports_.clock.SteadyMs();
  int64_t before = -1;
  while (!follower_.is_open() || follower_.next_offset() < end) {
    if (stop.load(std::memory_order_relaxed)) return {std::nullopt};
    NEARDUP_TRY(FollowChangelog(kPollTimeoutMs));
    const int64_t now_ms = ports_.clock.SteadyMs();
    const int64_t next = follower_.next_offset();
    if (next != before) {
      before = next;
      moved_at_ms = now_ms;
      const auto total = static_cast<double>(std::max<int64_t>(1, end - begin));
      ports_.probe.Restoring(std::clamp(static_cast<double>(next - begin) / total, 0.0, 1.0),
                             state_->filter().entries());
    } else if (now_ms - moved_at_ms > options_.lease_give_up_ms) {
      return Retriable(
          ErrorCode::kUnavailable,
          fmt::format("reading the changelog: no record arrived for {} s; expected to read up to "
                      "offset {}, stopped at offset {}; check that its partition has a leader",
                      options_.lease_give_up_ms / 1000, end, before));
    }
  }
  return {end};
}

// ---- active

Result<void> Lane::ActiveStep() {
  NEARDUP_ASSIGN(const bool held, ports_.lease.Held());
  if (!held)
    return Retriable(
        ErrorCode::kFenced,
        "this instance no longer holds the lease: another instance has it, or the group has "
        "not heard from this one for the session time-out");
  // A batch that was read ahead continues where the inputs stand.
  if (!open_.is_open() && !reader_.has_begun()) NEARDUP_TRY(RefreshInputs());
  int64_t timeout_ms = kPollTimeoutMs;
  if (open_.is_open()) timeout_ms = std::clamp(open_.left_ms(), int64_t{0}, timeout_ms);
  NEARDUP_TRY(TakeBatch(batch_, timeout_ms));
  NEARDUP_TRY(DecideAndPublish());
  inputs_.UpdateEnds(*state_);
  if (open_.is_due() || (open_.is_open() && inputs_.exhausted())) {
    NEARDUP_TRY(CommitAndDecideAhead());
  }
  const bool positions_due = inputs_.lost_any() || ports_.clock.SteadyMs() >= positions_at_ms_;
  if (!open_.is_open() && positions_due) NEARDUP_TRY(CommitPositions());
  // Nothing has arrived to commit.
  if (ports_.clock.SteadyMs() - promoted_at_ms_ > options_.retry_backoff_max_ms) backoff_ms_ = 0;
  ReportGauges();
  return {};
}

/// What seems to be lost may be what a new owner has decided, and retention has deleted since. Only
/// the owner of the lane can tell, and only an owner can commit.
Result<void> Lane::RefreshInputs() {
  const Result<void> refreshed = inputs_.Refresh(*state_);
  if (refreshed.ok() || refreshed.error().code != ErrorCode::kNotFound) return refreshed;
  NEARDUP_TRY(open_.Begin());
  const Result<void> committed = Commit();
  // A topic that does not exist makes every commit abort.
  if (committed.ok() || committed.error().code == ErrorCode::kAborted) return refreshed;
  return committed;
}

Result<void> Lane::TakeBatch(DecidedBatch& to, int64_t timeout_ms) {
  if (!reader_.has_begun()) reader_.Begin(records_to_poll(), static_cast<int>(timeout_ms));
  Batch& batch = to.batch;
  NEARDUP_TRY(reader_.Take(batch));
  inputs_.Took(*state_, batch);
  if (batch.messages.empty()) return {};
  ports_.probe.StageTimed(Stage::kPoll, batch.poll_s);
  ports_.probe.StageTimed(Stage::kFingerprint, batch.fingerprint_s);
  ports_.probe.BatchFingerprinted(batch.messages,
                                  std::span(batch.records).first(batch.messages.size()));
  return {};
}

void Lane::ReadAhead(int timeout_ms) {
  // A refresh moves the inputs. So all polled records must be decided before it.
  if (inputs_.exhausted() || inputs_.NeedsRefresh()) return;
  const size_t records = records_to_poll();
  const bool has_room = reader_.batches_ahead() + ahead_.size() < kBatchesAheadMax;
  if (records > 0 && has_room && reader_.CanBegin()) reader_.Begin(records, timeout_ms);
}

/// The records that were read and are not at hand fit into one transaction.
size_t Lane::records_to_poll() const {
  const size_t fit = std::max<size_t>(1, open_.records_that_fit());
  size_t ahead = reader_.records_ahead();
  for (const DecidedBatch& batch : ahead_) ahead += batch.size();
  return std::min(fit - std::min(fit, ahead), options_.batch_records_max);
}

Result<void> Lane::DecideAndPublish() {
  StageTimer timer(ports_.probe);
  if (!batch_.decided.empty()) {
    ReadAhead(kBesideDecisionsMs);
    while (batch_.published < batch_.decided.size()) NEARDUP_TRY(PublishNext(batch_));
    timer.Lap(Stage::kDecide);
  }
  if (!batch_.is_decided()) {
    const std::span<const LookedUp> found = LookUp(batch_);
    timer.Lap(Stage::kLookUp);
    ReadAhead(kBesideDecisionsMs);
    for (const LookedUp& each : found) {
      NEARDUP_TRY(DecideNext(batch_, each));
      NEARDUP_TRY(PublishNext(batch_));
      if (open_.is_full()) NEARDUP_TRY(Commit());
    }
    timer.Lap(Stage::kDecide);
  }
  batch_.Clear();
  return {};
}

std::span<const LookedUp> Lane::LookUp(const DecidedBatch& batch) {
  Filter& filter = state_->filter();
  filter.SetClock(ports_.clock.WallMs());
  return pool_.LookUp(
      std::span(batch.batch.records).first(batch.size()).subspan(batch.decided.size()), filter);
}

Result<void> Lane::DecideNext(DecidedBatch& batch, const LookedUp& found) {
  const size_t number = batch.decided.size();
  const Message& message = batch.batch.messages[number];
  const Position& position = message.position;
  Filter& filter = state_->filter();
  filter.Prefetch(std::span(batch.batch.records).first(batch.size()), number);
  NEARDUP_TRY(state_->CheckPosition(position));
  DecidedRecord& decided = batch.decided.emplace_back();
  decided.bytes = BytesOf(message);
  const InputPartition& input = state_->inputs()[position.input].partition;
  std::optional<Verdict> undeliverable =
      refused_.DeadLetter(position, decided.bytes, ports_.transaction.record_bytes_max(input));
  decided.by_reference = undeliverable.has_value();
  decided.verdict =
      undeliverable ? std::move(*undeliverable) : filter.Decide(batch.batch.records[number], found);
  decided.seq = state_->Advance(position);
  return {};
}

Result<void> Lane::PublishNext(DecidedBatch& batch) {
  const DecidedRecord& decided = batch.decided[batch.published];
  const Message& message = batch.batch.messages[batch.published];
  const Fingerprint& fingerprint = batch.batch.records[batch.published].fingerprint;
  const Verdict& verdict = decided.verdict;
  const Position& position = message.position;
  const std::vector<InputProgress>& inputs = state_->inputs();
  const InputPartition& input = inputs[position.input].partition;
  NEARDUP_TRY(open_.Begin());
  if (verdict.decision == Decision::kDeadLetter) dead_letters_.Saw(message, input, verdict);
  const InputPartition* original = verdict.decision == Decision::kDuplicate
                                       ? &inputs[verdict.match.original.input].partition
                                       : nullptr;
  const std::vector<HeaderView>& headers =
      header_writer_.Write(decided.seq, input, position.offset, verdict, original, fingerprint);
  NEARDUP_TRY(open_.Publish({.message = message,
                             .input = input,
                             .verdict = verdict,
                             .seq = decided.seq,
                             .original_input = original,
                             .headers = headers,
                             .by_reference = decided.by_reference,
                             .alone = refused_.IsSuspect(position),
                             .exact = fingerprint.exact},
                            decided.bytes));
  inputs_.Decided(message);
  ++batch.published;
  return {};
}

Result<void> Lane::Commit() { return Commit(NothingMeanwhile); }

Result<void> Lane::CommitAndDecideAhead() {
  Result<void> decided;
  NEARDUP_TRY(Commit([&] {
    const Result<bool> ahead = DecideAhead();
    if (!ahead.ok()) decided = ahead.error();
    if (!ahead.ok() || *ahead) return ahead.ok();
    if (!reader_.IsRead(kBesideCommitMs)) return true;
    const size_t before = reader_.records_ahead();
    ReadAhead(kBesideCommitMs);
    return reader_.is_reading() || reader_.records_ahead() > before;
  }));
  NEARDUP_TRY(std::move(decided));
  if (!ahead_.empty()) NEARDUP_TRY(BeginWithAhead());
  for (; !ahead_.empty(); ahead_.pop_front()) {
    std::swap(batch_, ahead_.front());
    NEARDUP_TRY(DecideAndPublish());
    spare_.push_back(std::move(ahead_.front()));
  }
  return {};
}

/// A lane that keeps up counts the interval of the transaction from the first decision, so that a
/// record waits for at most one interval and one commit. A lane that is behind counts it from here:
/// fewer and larger transactions cost the brokers less, and the backlog shrinks faster.
Result<void> Lane::BeginWithAhead() {
  int64_t decided = 0;
  for (const DecidedBatch& batch : ahead_) decided += static_cast<int64_t>(batch.decided.size());
  return inputs_.lag_records() > decided ? open_.Begin() : open_.BeginSince(ahead_since_ms_);
}

Result<bool> Lane::DecideAhead() {
  if (!ahead_.empty() && !ahead_.back().is_decided()) return false;
  reader_.IsRead(0);
  // A refresh needs a moment without an open transaction.
  if (reader_.records_ahead() == 0 || inputs_.NeedsRefresh()) return false;
  if (ahead_.empty()) {
    ahead_bytes_ = 0;
    ahead_since_ms_ = ports_.clock.SteadyMs();
  }
  if (open_.is_full_with(ahead_bytes_)) return false;
  DecidedBatch& batch = ahead_.emplace_back();
  if (!spare_.empty()) {
    batch = std::move(spare_.back());
    spare_.pop_back();
  }
  NEARDUP_TRY(TakeBatch(batch, 0));
  StageTimer timer(ports_.probe);
  const std::span<const LookedUp> found = LookUp(batch);
  ahead_s_ += timer.Lap(Stage::kLookUp);
  for (const LookedUp& each : found) {
    if (open_.is_full_with(ahead_bytes_)) break;
    NEARDUP_TRY(DecideNext(batch, each));
    ahead_bytes_ += OpenTransaction::CountedBytes(batch.decided.back().bytes);
  }
  ahead_s_ += timer.Lap(Stage::kDecide);
  return true;
}

Result<void> Lane::Commit(const Meanwhile& meanwhile) {
  StageTimer timer(ports_.probe);
  NEARDUP_TRY(CheckDeadLetters());
  // Once the commit below succeeds, no other instance can have written before this end, and the
  // deltas below come after it. Without an answer the lane would only read more after it is lost;
  // it asks again at the next mark.
  std::optional<int64_t> end;
  if (ports_.clock.SteadyMs() >= mark_at_ms_) {
    mark_at_ms_ = ports_.clock.SteadyMs() + kMarkPeriodMs;
    if (const Result<int64_t> asked = follower_.End(); asked.ok()) end = *asked;
    if (end && *end < follower_.next_offset()) {
      return Retriable(ErrorCode::kUnavailable,
                       fmt::format("the changelog ends at offset {}, but used to end at {} or "
                                   "higher; taking the lane again to find out why",
                                   *end, follower_.next_offset()));
    }
  }
  NEARDUP_TRY(open_.PublishDeltas(*state_));
  state_->BeginCommit();
  NEARDUP_TRY(open_.Commit(inputs_.Progress(*state_), meanwhile));
  state_->Commit();
  newest_delta_ = open_.newest_delta();
  candidacy_.Committed();
  if (end) follower_.MoveTo(*end);
  inputs_.Committed();
  positions_at_ms_ = ports_.clock.SteadyMs() + kPositionsPeriodMs;
  // The opening delta of a promotion shows only that this instance owns the lane.
  if (phase_ == LanePhase::kActive) {
    has_worked_ = true;
    backoff_ms_ = 0;
  }
  refused_.DropCommitted(state_->committed_offsets());
  CountCommitted();
  timer.Lap(Stage::kCommit, std::exchange(ahead_s_, 0));
  return {};
}

Result<void> Lane::CheckDeadLetters() {
  const DeadLetterOptions& options = options_.dead_letters;
  const bool first_commit = state_->seq_committed() == 0;
  const std::optional<std::string> why = dead_letters_.Judge(open_.counted(), first_commit);
  if (!why) return {};
  ports_.probe.DeadLettersExcessive(true, *why);
  Error error;
  if (options.on_excess == OnExcess::kFail) {
    error = Fatal(
        ErrorCode::kConfig,
        fmt::format(
            "stopped before the commit because dead_letters.on_excess is fail: {}. Nothing of "
            "this transaction is visible; correct the settings, or raise dead_letters.share_max",
            *why));
  } else if (first_commit && options.on_first_excess == OnExcess::kFail) {
    error = Fatal(ErrorCode::kConfig,
                  fmt::format("stopped before the first commit: {}. Nothing is written yet; "
                              "correct the settings or the input, or raise "
                              "dead_letters.share_max if these records are to be dead letters",
                              *why));
  } else {
    return {};
  }
  // Otherwise readers of the outputs would wait for the transaction until it times out.
  if (const Result<void> aborted = ports_.transaction.Abort(); !aborted.ok()) {
    error.text += fmt::format(" ({})", aborted.error().text);
  }
  return error;
}

void Lane::CountCommitted() {
  const CommittedBatch batch = open_.Close();
  const bool excessive = dead_letters_.excessive();
  dead_letters_.Committed(batch, ports_.clock.SteadyMs());
  ports_.probe.TransactionCommitted(batch);
  if (excessive && !dead_letters_.excessive()) ports_.probe.DeadLettersExcessive(false, {});
}

Result<void> Lane::CommitPositions() {
  if (!state_->moved()) return {};
  NEARDUP_TRY(open_.Begin());
  return Commit();
}

void Lane::ReportGauges() {
  const int64_t now_ms = ports_.clock.SteadyMs();
  if (now_ms < gauges_at_ms_) return;
  gauges_at_ms_ = now_ms + kGaugesPeriodMs;
  const Filter& filter = state_->filter();
  const bool active = phase_ == LanePhase::kActive;
  const int64_t known = follower_.next_offset();
  const int64_t behind = std::max<int64_t>(0, follower_.known_end() - known);
  ports_.probe.Gauges({.entries = filter.entries(),
                       .entries_max = options_.filter.window.entries_max,
                       .index_bytes = filter.bytes(),
                       .entries_evicted = filter.entries_evicted(),
                       .entries_expired = filter.entries_expired(),
                       .candidates = filter.candidates(),
                       .keys_refused = filter.keys_refused(),
                       .oldest_time_ms = filter.oldest_time_ms(),
                       .watermark_ms = filter.watermark_ms(),
                       .horizon_ms = filter.horizon_ms(),
                       .seq = state_->seq_committed(),
                       .changelog_offset = known,
                       .changelog_lag = active ? 0 : behind});
  if (active) inputs_.ReportLag(*state_);
}

// ---- recovery

Result<void> Lane::Recover(const Error& error) {
  const bool active = phase_ == LanePhase::kActive;
  if (error.fatal || error.code == ErrorCode::kConfig || error.code == ErrorCode::kMismatch ||
      error.code == ErrorCode::kCorrupt) {
    Forget();
    return error;
  }
  if (active && error.code == ErrorCode::kAborted && !candidacy_.Aborted()) {
    const Result<void> rewound = AbortAndRewind(error);
    if (rewound.ok() || rewound.error().fatal) return rewound;
    Lose(rewound.error());
    return {};
  }
  Lose(error);
  if (!IsRefusedForGood(error)) return {};
  Error last = error;
  last.fatal = true;
  return last;
}

bool Lane::IsRefusedForGood(const Error& error) {
  if (has_worked_ || error.code != ErrorCode::kAuth) {
    refused_since_ms_.reset();
    return false;
  }
  const int64_t now_ms = ports_.clock.SteadyMs();
  // A standby may be refused for a moment, and again much later.
  if (refused_since_ms_ &&
      now_ms - refused_last_ms_ > kRefusalsApart * options_.retry_backoff_max_ms) {
    refused_since_ms_.reset();
  }
  refused_last_ms_ = now_ms;
  if (!refused_since_ms_) refused_since_ms_ = now_ms;
  return now_ms - *refused_since_ms_ >= options_.lease_give_up_ms;
}

Result<void> Lane::AbortAndRewind(const Error& error) {
  ports_.probe.TransactionAborted(error);
  NEARDUP_TRY(ports_.transaction.Abort());
  for (const Transaction::Refusal& refusal : ports_.transaction.TakeRefusals()) {
    const InputPartition& input = state_->inputs()[refusal.position.input].partition;
    NEARDUP_TRY(refused_.Add(refusal, input));
    ports_.probe.RecordRefused(input, refusal.position.offset, refusal.text);
  }
  Forget();
  return inputs_.Rewind(*state_);
}

void Lane::Lose(const Error& error) {
  const bool late_request = ports_.transaction.must_fence();
  // A commit of unknown outcome must not be aborted; the next fence ends it either way.
  ports_.transaction.Abandon(open_.is_open() && error.code != ErrorCode::kUnknownOutcome);
  Forget();
  ports_.probe.LaneLost(error);
  if (late_request) {
    // The previous transaction has ended: this instance is not at fault.
    ports_.probe.LateRequestFenced();
  } else if (const std::optional<int64_t> lasted_ms = candidacy_.Lost(error)) {
    goal_.reset();
    ports_.probe.LeaseLeft(*lasted_ms);
  }
  if (const Result<void> stopped = inputs_.Stop(); !stopped.ok()) {
    ports_.probe.LaneLost(stopped.error());
  }
  follower_.Close();
  backoff_ms_ =
      std::clamp(backoff_ms_ * 2, options_.retry_backoff_min_ms, options_.retry_backoff_max_ms);
  const int64_t wait_ms =
      error.code == ErrorCode::kFenced ? std::max(backoff_ms_, kFencedBackoffMs) : backoff_ms_;
  retry_not_before_ms_ = ports_.clock.SteadyMs() + wait_ms;
  if (phase_ != LanePhase::kDraining) SetPhase(LanePhase::kStandby);
}

void Lane::Forget() {
  state_->Rollback();
  open_.Forget();
  reader_.Discard();
  batch_.Clear();
  ahead_.clear();
  ahead_s_ = 0;
}

}  // namespace neardup
