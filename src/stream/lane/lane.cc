#include "stream/lane/lane.h"

#include <algorithm>
#include <utility>

#include "detect/base/random.h"

namespace neardup {
namespace {

// After fencing, another instance may be active. By then the lease has heard of it.
constexpr int64_t kFencedBackoffMs = 1000;
// Refusals that are this many of the longest waits apart do not belong together.
constexpr int64_t kRefusalsApart = 3;

}  // namespace

int64_t LaneRetry::wait_ms() const {
  return std::max<int64_t>(0, not_before_ms_ - clock_.SteadyMs());
}

void LaneRetry::Worked() {
  has_worked_ = true;
  backoff_ms_ = 0;
}

void LaneRetry::StepDone() {
  if (clock_.SteadyMs() - promoted_at_ms_ > options_.retry_backoff_max_ms) backoff_ms_ = 0;
}

void LaneRetry::Lost(const Error& error) {
  backoff_ms_ =
      std::clamp(backoff_ms_ * 2, options_.retry_backoff_min_ms, options_.retry_backoff_max_ms);
  const int64_t wait_ms =
      error.code == ErrorCode::kFenced ? std::max(backoff_ms_, kFencedBackoffMs) : backoff_ms_;
  not_before_ms_ = clock_.SteadyMs() + wait_ms;
}

bool LaneRetry::IsRefusedForGood(const Error& error) {
  if (has_worked_ || error.code != ErrorCode::kAuth) {
    refused_since_ms_.reset();
    return false;
  }
  const int64_t now_ms = clock_.SteadyMs();
  // A standby may be refused for a moment, and again much later.
  if (refused_since_ms_ &&
      now_ms - refused_last_ms_ > kRefusalsApart * options_.retry_backoff_max_ms) {
    refused_since_ms_.reset();
  }
  refused_last_ms_ = now_ms;
  if (!refused_since_ms_) refused_since_ms_ = now_ms;
  return now_ms - *refused_since_ms_ >= options_.lease_give_up_ms;
}

namespace {

constexpr int64_t kRetryPeriodMs = 100;
// A standby looks at the changelog for this long, then at the lease and at the active process.
constexpr int kFollowMs = 20;
constexpr int64_t kGaugesPeriodMs = 1000;
constexpr int64_t kConfirmPeriodMs = 1000;

}  // namespace

Result<std::unique_ptr<Lane>> Lane::New(const LaneOptions& options, const LanePorts& ports,
                                        std::optional<RestoredSnapshot> snapshot) {
  if (!snapshot) {
    NEARDUP_ASSIGN(std::unique_ptr<LaneState> state, LaneState::New(options.filter, options.lane));
    return std::unique_ptr<Lane>(new Lane(options, ports, std::move(state)));
  }
  std::unique_ptr<Lane> lane(new Lane(options, ports, std::move(snapshot->state)));
  NEARDUP_TRY(lane->follower_.StartBehind(snapshot->manifest));
  return lane;
}

Lane::Lane(const LaneOptions& options, const LanePorts& ports, std::unique_ptr<LaneState> state)
    : options_(options),
      ports_(ports),
      state_(std::move(state)),
      follower_(options_, ports.changelog, *state_, ports.clock, ports.probe),
      candidacy_(options_, ports.lease, ports.clock),
      inputs_(options_, ports.source, ports.clock, ports.probe),
      loop_(options_, ports_, *state_, inputs_, follower_),
      retry_(options_, ports.clock) {
  state_->SetLearned(options_.learned);
  state_->SetTopics(options_.pipeline.topics);
  state_->SetEndpoint(ports_.lease.endpoint());
  ports_.probe.On(event::PhaseChanged{phase_});
}

Result<bool> Lane::Step(const std::atomic<bool>& stop) {
  if (phase_ != LanePhase::kActive && retry_.wait_ms() > 0) {
    ports_.clock.SleepMs(std::min(retry_.wait_ms(), kRetryPeriodMs));
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
  return !(phase_ == LanePhase::kActive && loop_.has_nothing_left());
}

Result<void> Lane::Drain() {
  SetPhase(LanePhase::kDraining);
  Result<void> committed = loop_.CommitAll();
  if (!committed.ok()) Lose(committed.error());
  loop_.Forget();
  ports_.lease.Release();
  // What did not commit was never visible. It is decided again after the next start.
  const bool final = !committed.ok() && committed.error().fatal;
  return final ? committed : Result<void>();
}

void Lane::SetPhase(LanePhase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  ports_.probe.On(event::PhaseChanged{phase});
}

// ---- standby

Result<void> Lane::StandbyStep(const std::atomic<bool>& stop) {
  NEARDUP_ASSIGN(const bool held, ports_.lease.Held());
  if (held) {
    candidacy_.Join();  // the lease may be older than this lane
    return Promote(stop);
  }
  SetPhase(LanePhase::kStandby);
  NEARDUP_ASSIGN(const bool takes_over, MayTakeOver());
  if (takes_over) {
    candidacy_.TakesOver();
    ports_.probe.On(event::TakesOver{state_->active_endpoint()});
    awaits_lease_ = true;
    return Promote(stop);
  }
  if (!candidacy_.is_candidate()) NEARDUP_TRY(follower_.AskGoal());
  NEARDUP_TRY(JoinIfCaughtUp());  // there may be nothing to read
  const uint64_t seq_before = state_->seq();
  NEARDUP_TRY(follower_.Follow(kFollowMs));
  NEARDUP_TRY(JoinIfCaughtUp());
  NEARDUP_TRY(follower_.CheckPipeline());
  if (state_->seq() > seq_before) ports_.probe.On(event::Followed{state_->seq()});
  NEARDUP_TRY(CountMissing());
  ReportGauges();
  return {};
}

/// Makes this instance a candidate once it has read what was committed when it began. No instance
/// can be active before it has read that, so that an earlier candidate would win nothing.
Result<void> Lane::JoinIfCaughtUp() {
  if (!follower_.has_goal()) return {};
  if (const std::optional<double> share = follower_.ShareRead()) {
    ports_.probe.On(event::Restoring{*share, state_->filter().entries()});
    return {};
  }
  NEARDUP_TRY(follower_.CheckPipeline());
  ReportCaughtUp();
  candidacy_.Join();
  if (candidacy_.is_candidate()) follower_.DropGoal();
  return {};
}

/// What was read may be old: another instance may have taken the lane since.
Result<bool> Lane::MayTakeOver() {
  if (candidacy_.Follows(state_->active_endpoint(), state_->epoch())) {
    ports_.probe.On(event::TookOverWrongly{state_->active_endpoint()});
  }
  return candidacy_.MayTakeOver() ? follower_.HasReadAll() : false;
}

/// Reported once. From then on a standby is only moments behind.
void Lane::ReportCaughtUp() {
  if (caught_up_) return;
  caught_up_ = true;
  ports_.probe.On(event::CaughtUp{state_->seq(), state_->filter().entries()});
}

/// Counts the live entries that this instance lacks: a take-over would be refused. If only its
/// snapshot lacks them, it reads the changelog again.
Result<void> Lane::CountMissing() {
  if (!caught_up_ || state_->entries_missing().value_or(0) == entries_missing_) return {};
  NEARDUP_ASSIGN(const bool all, follower_.HasReadAll());
  if (!all) return {};
  NEARDUP_ASSIGN(const bool reads_again, follower_.ReadAgainIfIncomplete());
  if (!reads_again) entries_missing_ = state_->entries_missing().value_or(0);
  return {};
}

// ---- promotion

Result<void> Lane::Promote(const std::atomic<bool>& stop) {
  SetPhase(LanePhase::kRestoring);
  const int64_t started_ms = ports_.clock.SteadyMs();
  // Fence first: afterwards no other instance can append to the changelog, so its end is final.
  NEARDUP_TRY(ports_.transaction.Fence());
  NEARDUP_ASSIGN(const std::optional<int64_t> end, follower_.Restore(stop));
  if (!end) return {};
  NEARDUP_TRY(follower_.CheckPipeline());
  const PipelineTopics before = follower_.topics();
  NEARDUP_TRY(inputs_.Find(*state_));
  NEARDUP_ASSIGN(const std::vector<GroupPosition> group,
                 inputs_.GroupOffsets(*state_, ports_.transaction));
  NEARDUP_TRY(follower_.CheckLoss(*end, group));
  NEARDUP_TRY(inputs_.Assign(*state_));
  state_->StartEpoch(DrawId());
  NEARDUP_ASSIGN(const int64_t opening_deltas, loop_.Open(follower_.TakeRenumbered()));
  candidacy_.Committed();
  NEARDUP_TRY(follower_.ConfirmEnd(*end, opening_deltas));
  if (Compare(options_.pipeline, before) == PipelineMatch::kChanges) {
    ports_.probe.On(event::PipelineChanged{before, options_.pipeline.topics});
  }
  caught_up_ = true;
  entries_missing_ = 0;
  follower_.BeginToOwn();
  retry_.Promoted();
  SetPhase(LanePhase::kActive);
  const auto seconds = static_cast<double>(ports_.clock.SteadyMs() - started_ms) / 1000;
  ports_.probe.On(event::Promoted{state_->seq(), state_->filter().entries(), seconds});
  return {};
}

// ---- active

Result<void> Lane::ActiveStep() {
  NEARDUP_ASSIGN(const bool held, ports_.lease.Held());
  if (awaits_lease_) {
    NEARDUP_TRY(AwaitLease(held));
  } else if (!held) {
    return Retriable(
        ErrorCode::kFenced,
        "this instance no longer holds the lease: another instance has it, or the group has "
        "not heard from this one for the session time-out");
  }
  const uint64_t before = loop_.commits();
  const Result<void> stepped = loop_.Step();
  if (loop_.commits() > before) {
    candidacy_.Committed();
    retry_.Worked();
  }
  NEARDUP_TRY(stepped);
  retry_.StepDone();
  ReportGauges();
  return {};
}

/// Nobody tells an instance without the lease that another one has taken the lane. So it makes
/// sure, also while there is nothing to decide, and once more when the lease has come.
Result<void> Lane::AwaitLease(bool held) {
  const int64_t now_ms = ports_.clock.SteadyMs();
  if (!held && now_ms < confirm_at_ms_) return {};
  confirm_at_ms_ = now_ms + kConfirmPeriodMs;
  awaits_lease_ = !held;
  return loop_.Confirm();
}

void Lane::ReportGauges() {
  const int64_t now_ms = ports_.clock.SteadyMs();
  if (now_ms < gauges_at_ms_) return;
  gauges_at_ms_ = now_ms + kGaugesPeriodMs;
  const Filter& filter = state_->filter();
  const bool active = phase_ == LanePhase::kActive;
  ports_.probe.On(event::Gauges{{.entries = filter.entries(),
                                 .entries_max = options_.filter.window.entries_max,
                                 .entries_missing = entries_missing_,
                                 .groups = state_->groups().size(),
                                 .index_bytes = filter.bytes(),
                                 .entries_evicted = filter.entries_evicted(),
                                 .entries_expired = filter.entries_expired(),
                                 .candidates = filter.candidates(),
                                 .keys_refused = filter.keys_refused(),
                                 .oldest_time_ms = filter.oldest_time_ms(),
                                 .watermark_ms = filter.watermark_ms(),
                                 .horizon_ms = filter.horizon_ms(),
                                 .seq = state_->seq_committed(),
                                 .changelog_offset = follower_.next_offset(),
                                 .changelog_lag = active ? 0 : follower_.lag()}});
  if (active) inputs_.ReportLag(*state_);
}

// ---- recovery

Result<void> Lane::Recover(const Error& error) {
  const bool active = phase_ == LanePhase::kActive;
  if (error.fatal || error.code == ErrorCode::kConfig || error.code == ErrorCode::kMismatch ||
      error.code == ErrorCode::kCorrupt) {
    loop_.Forget();
    return error;
  }
  if (active && error.code == ErrorCode::kAborted && !candidacy_.Aborted()) {
    const Result<void> rewound = AbortAndRewind(error);
    if (rewound.ok() || rewound.error().fatal) return rewound;
    Lose(rewound.error());
    return {};
  }
  Lose(error);
  if (!retry_.IsRefusedForGood(error)) return {};
  Error last = error;
  last.fatal = true;
  return last;
}

Result<void> Lane::AbortAndRewind(const Error& error) {
  ports_.probe.On(event::TransactionAborted{error});
  NEARDUP_TRY(loop_.Abort());
  return inputs_.Rewind(*state_);
}

void Lane::Lose(const Error& error) {
  const bool late_request = ports_.transaction.must_fence();
  // A commit of unknown outcome must not be aborted; the next fence ends it either way.
  ports_.transaction.Abandon(loop_.has_open_transaction() &&
                             error.code != ErrorCode::kUnknownOutcome);
  loop_.Forget();
  awaits_lease_ = false;
  ports_.probe.On(event::LaneLost{error});
  if (late_request) {
    // The previous transaction has ended: this instance is not at fault.
    ports_.probe.On(event::LateRequestFenced{});
  } else if (const std::optional<int64_t> lasted_ms = candidacy_.Lost(error)) {
    follower_.DropGoal();
    ports_.probe.On(event::LeaseLeft{*lasted_ms});
  }
  if (const Result<void> stopped = inputs_.Stop(); !stopped.ok()) {
    ports_.probe.On(event::LaneLost{stopped.error()});
  }
  follower_.Lost();
  retry_.Lost(error);
  if (phase_ != LanePhase::kDraining) SetPhase(LanePhase::kStandby);
}

}  // namespace neardup
