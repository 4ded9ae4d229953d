#include "stream/lane.h"

#include <algorithm>
#include <utility>

namespace neardup {
namespace {

constexpr int kPollTimeoutMs = 100;
// A fenced producer may mean another instance is active; by then the lease has heard of it.
constexpr int64_t kFencedBackoffMs = 1000;
// A changelog that does not move for this long while being restored is an outage.
constexpr int64_t kRestoreStallMs = 60'000;

}  // namespace

Result<std::unique_ptr<Lane>> Lane::New(const LaneOptions& options, const LanePorts& ports,
                                        std::optional<RestoredSnapshot> snapshot) {
  if (!snapshot) {
    NEARDUP_ASSIGN(std::unique_ptr<LaneState> state, LaneState::New(options.filter, options.lane));
    return std::unique_ptr<Lane>(new Lane(options, ports, std::move(state)));
  }
  std::unique_ptr<Lane> lane(new Lane(options, ports, std::move(snapshot->state)));
  lane->follower_.StartBehind(snapshot->manifest.end);
  return lane;
}

Lane::Lane(const LaneOptions& options, const LanePorts& ports, std::unique_ptr<LaneState> state)
    : options_(options),
      ports_(ports),
      state_(std::move(state)),
      pool_(options.filter, options.fingerprint_threads),
      header_writer_(options.headers),
      follower_(ports.changelog) {
  ports_.probe.PhaseChanged(phase_);
}

Result<void> Lane::Run(const std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_relaxed)) {
    NEARDUP_ASSIGN(const bool more, Step());
    if (!more) break;
  }
  return Drain();
}

Result<bool> Lane::Step() {
  const bool active = phase_ == LanePhase::kActive;
  const Result<void> worked = active ? ActiveStep() : StandbyStep();
  if (!worked.ok()) {
    if (const Result<void> recovered = Recover(worked.error()); !recovered.ok()) {
      SetPhase(LanePhase::kFailed);
      return recovered.error();
    }
  }
  return !(phase_ == LanePhase::kActive && ports_.source.exhausted() && !open_);
}

Result<void> Lane::Drain() {
  SetPhase(LanePhase::kDraining);
  Result<void> committed;
  if (open_) committed = CommitOpen();
  if (!committed.ok()) Lose(committed.error());
  ports_.lease.Release();
  // Whatever did not commit was never visible and is decided again after the next start.
  const bool final = !committed.ok() && committed.error().fatal;
  return final ? committed : Result<void>();
}

void Lane::SetPhase(LanePhase phase) {
  if (phase == phase_) return;
  phase_ = phase;
  ports_.probe.PhaseChanged(phase);
}

// ---- standby and promotion

Result<void> Lane::StandbyStep() {
  if (ports_.clock.SteadyMs() < retry_not_before_ms_) {
    ports_.clock.SleepMs(
        std::min(retry_not_before_ms_ - ports_.clock.SteadyMs(), int64_t{kPollTimeoutMs}));
    return {};
  }
  NEARDUP_ASSIGN(const bool held, ports_.lease.Held());
  if (held) return Promote();
  SetPhase(LanePhase::kStandby);
  if (!caught_up_ && !standby_end_) {
    NEARDUP_ASSIGN(standby_end_, follower_.End());
  }
  NEARDUP_TRY(FollowChangelog(kPollTimeoutMs));
  ReportCaughtUp();
  return {};
}

/// Once is enough: from then on a standby is only ever some moments behind.
void Lane::ReportCaughtUp() {
  if (caught_up_ || follower_.next_offset() < *standby_end_) return;
  caught_up_ = true;
  ports_.probe.CaughtUp(state_->seq(), state_->filter().entries());
}

Result<void> Lane::FollowChangelog(int timeout_ms) {
  NEARDUP_ASSIGN(
      const bool goes_on,
      follower_.Poll(timeout_ms, [this](const ChangelogRecord& record) { return Fold(record); }));
  return goes_on ? Result<void>() : DiscardState(follower_.why());
}

/// The changelog holds all that is live, so nothing is lost but time.
Result<void> Lane::DiscardState(const std::string& why) {
  ports_.probe.StateDiscarded(why);
  refused_.clear();  // inputs may get other numbers
  NEARDUP_ASSIGN(state_, LaneState::New(options_.filter, options_.lane));
  return {};
}

Result<void> Lane::Fold(const ChangelogRecord& record) {
  const auto at_offset = [&](Error error) {
    error.text = "changelog offset " + std::to_string(record.offset) + ": " + error.text;
    error.fatal = true;
    return error;
  };
  const Result<Delta> delta = DecodeDelta(record.bytes);
  if (!delta.ok()) return at_offset(delta.error());
  const bool decided_any = delta->seq_first <= delta->seq_last;
  const bool known =
      delta->seq_last < state_->seq() || (decided_any && delta->seq_last == state_->seq());
  if (!state_->empty() && known) return {};  // committed by this instance before it lost the lane
  if (const Result<void> applied = state_->Apply(*delta); !applied.ok()) {
    return at_offset(applied.error());
  }
  return {};
}

Result<void> Lane::Promote() {
  SetPhase(LanePhase::kRestoring);
  const int64_t started_ms = ports_.clock.SteadyMs();
  NEARDUP_TRY(ports_.transaction.Fence());  // before the log is read: nothing can follow its end
  NEARDUP_TRY(RestoreToEnd());
  NEARDUP_TRY(AssignInputs());
  NEARDUP_TRY(CompareGroupOffsets());
  state_->StartEpoch();
  // The opening delta makes the epoch and the inputs' first offsets durable before any verdict.
  NEARDUP_TRY(BeginIfNeeded());
  NEARDUP_TRY(CommitOpen());
  caught_up_ = true;
  SetPhase(LanePhase::kActive);
  const auto seconds = static_cast<double>(ports_.clock.SteadyMs() - started_ms) / 1000;
  ports_.probe.Promoted(state_->seq(), state_->filter().entries(), seconds);
  return {};
}

Result<void> Lane::RestoreToEnd() {
  NEARDUP_ASSIGN(const int64_t end, follower_.End());
  const int64_t begin = follower_.next_offset();
  int64_t moved_at_ms = ports_.clock.SteadyMs();
  int64_t before = -1;
  while (!follower_.is_open() || follower_.next_offset() < end) {
    NEARDUP_TRY(FollowChangelog(kPollTimeoutMs));
    const int64_t now_ms = ports_.clock.SteadyMs();
    const int64_t next = follower_.next_offset();
    if (next != before) {
      before = next;
      moved_at_ms = now_ms;
      const auto in_all = static_cast<double>(std::max<int64_t>(1, end - begin));
      ports_.probe.Restoring(std::clamp(static_cast<double>(next - begin) / in_all, 0.0, 1.0),
                             state_->filter().entries());
    } else if (now_ms - moved_at_ms > kRestoreStallMs) {
      return Retriable(ErrorCode::kUnavailable, "the changelog stands at offset " +
                                                    std::to_string(before) + " of " +
                                                    std::to_string(end) + " and does not move");
    }
  }
  return {};
}

Result<void> Lane::AssignInputs() {
  NEARDUP_TRY(AddNewInputs(state_->empty()));
  return Rewind();
}

Result<void> Lane::AddNewInputs(bool first_start) {
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, ports_.source.Partitions());
  std::vector<std::string> known_topics;
  for (const InputProgress& input : state_->inputs()) {
    known_topics.push_back(input.partition.topic);
  }
  assigned_.clear();
  for (const InputPartition& partition : partitions) {
    std::optional<uint32_t> input = state_->FindInput(partition);
    if (!input) {
      // A partition that a known topic grew is read from its beginning: its records are all new.
      const bool grown = !first_start && std::find(known_topics.begin(), known_topics.end(),
                                                   partition.topic) != known_topics.end();
      const StartAt at = grown ? StartAt::kEarliest : options_.start_at;
      NEARDUP_ASSIGN(const int64_t offset, ports_.source.StartOffset(partition, at));
      NEARDUP_ASSIGN(input, state_->AddInput(partition, offset));
    }
    assigned_.push_back(*input);
  }
  return {};
}

Result<void> Lane::Rewind() {
  const std::vector<InputProgress>& inputs = state_->inputs();
  at_end_since_ms_.assign(inputs.size(), -1);
  last_timestamp_ms_.resize(inputs.size(), -1);
  for (uint32_t input = 0; input < inputs.size(); ++input) {
    state_->filter().SetIdle(input, true);  // what is not read does not hold the watermark
  }
  std::vector<InputAssignment> assignments;
  for (const uint32_t input : assigned_) {
    state_->filter().SetIdle(input, false);
    assignments.push_back({input, inputs[input].partition, inputs[input].next_offset});
  }
  return ports_.source.Assign(assignments);
}

Result<void> Lane::CompareGroupOffsets() {
  if (state_->empty()) return {};
  std::vector<InputPartition> partitions;
  for (const uint32_t input : assigned_) partitions.push_back(state_->inputs()[input].partition);
  NEARDUP_ASSIGN(const std::vector<int64_t> group, ports_.transaction.CommittedOffsets(partitions));
  for (size_t i = 0; i < partitions.size(); ++i) {
    const int64_t delta = state_->inputs()[assigned_[i]].next_offset;
    if (group[i] >= 0 && group[i] != delta) {
      ports_.probe.OffsetsDiffer(partitions[i], group[i], delta);
    }
  }
  return {};
}

// ---- when something goes wrong

Result<void> Lane::Recover(const Error& error) {
  const bool active = phase_ == LanePhase::kActive;
  if (error.fatal || error.code == ErrorCode::kConfig || error.code == ErrorCode::kMismatch ||
      error.code == ErrorCode::kCorrupt) {
    Forget();
    return error;
  }
  if (active && error.code == ErrorCode::kAborted) {
    const Result<void> rewound = AbortAndRewind(error);
    if (rewound.ok() || rewound.error().fatal) return rewound;
    Lose(rewound.error());
    return {};
  }
  Lose(error);
  return {};
}

Result<void> Lane::AbortAndRewind(const Error& error) {
  ports_.probe.TransactionAborted(error);
  NEARDUP_TRY(ports_.transaction.Abort());
  for (Transaction::Refusal& refusal : ports_.transaction.TakeRefusals()) {
    Refused& refused = refused_[refusal.position];
    const InputPartition& input = state_->inputs()[refusal.position.input].partition;
    if (refused.times >= 2) {
      return Fatal(ErrorCode::kConfig,
                   input.topic + "/" + std::to_string(input.partition) + " offset " +
                       std::to_string(refusal.position.offset) +
                       ": even the reference to this record is refused by the dead-letter topic: " +
                       refusal.text);
    }
    refused.times = refusal.reason == Reason::kTooLarge ? 2 : refused.times + 1;
    refused.reason = refusal.reason;
    refused.text = std::move(refusal.text);
    ports_.probe.RecordRefused(input, refusal.position.offset, refused.text);
  }
  Forget();
  return Rewind();
}

void Lane::Lose(const Error& error) {
  Forget();
  ports_.probe.LaneLost(error);
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
  open_ = false;
  batch_.clear();
  counted_ = {};
  open_timestamps_ms_.clear();
}

}  // namespace neardup
