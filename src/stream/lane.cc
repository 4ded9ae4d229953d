#include "stream/lane.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "state/delta.h"

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

// The active half of the lane: poll, fingerprint, decide, publish, commit.

namespace {

constexpr int64_t kGaugesPeriodMs = 1000;
// How often the place is moved from which the changelog is read after a loss.
constexpr int64_t kMarkPeriodMs = 60'000;
// From where on a record's part of the index is fetched before it is decided.
constexpr size_t kRecordsAhead = 8;
// What our headers and the record framing may add to a record.
constexpr size_t kHeaderSlackBytes = 1024;

size_t BytesOf(const Message& message) {
  size_t bytes = 0;
  if (message.key) bytes += message.key->size();
  if (message.value) bytes += message.value->size();
  for (const HeaderView& header : message.headers) {
    bytes += header.name.size() + (header.value ? header.value->size() : 0);
  }
  return bytes;
}

class StageTimer {
 public:
  explicit StageTimer(Probe& probe) : probe_(probe) {}
  void Lap(Stage stage) {
    const auto now = std::chrono::steady_clock::now();
    probe_.StageTimed(stage, std::chrono::duration<double>(now - started_).count());
    started_ = now;
  }

 private:
  Probe& probe_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<void> Lane::ActiveStep() {
  NEARDUP_ASSIGN(const bool held, ports_.lease.Held());
  if (!held) {
    return Retriable(ErrorCode::kFenced, "the lease went to another instance");
  }
  NEARDUP_TRY(RefreshInputs());
  int64_t timeout_ms = kPollTimeoutMs;
  if (open_) {
    const int64_t open_ms = ports_.clock.SteadyMs() - open_since_ms_;
    timeout_ms = std::clamp(options_.transaction_interval_ms - open_ms, int64_t{0}, timeout_ms);
  }
  // No more than a transaction's bytes at a time, judged by the records seen so far.
  const size_t fitting = options_.transaction_bytes_max / std::max<size_t>(1, record_bytes_mean_);
  const size_t records_max = std::clamp<size_t>(fitting, 1, options_.batch_records_max);

  StageTimer timer(ports_.probe);
  batch_.clear();
  NEARDUP_TRY(ports_.source.Poll(records_max, static_cast<int>(timeout_ms), batch_));
  if (!batch_.empty()) timer.Lap(Stage::kPoll);
  NEARDUP_TRY(DecideBatch());
  UpdateIdle();
  const bool due =
      open_ && ports_.clock.SteadyMs() - open_since_ms_ >= options_.transaction_interval_ms;
  if (due || (open_ && ports_.source.exhausted())) NEARDUP_TRY(CommitOpen());
  ReportGauges();
  return {};
}

Result<void> Lane::DecideBatch() {
  if (batch_.empty()) return {};
  ReportPolled();
  StageTimer timer(ports_.probe);
  state_->filter().SetClock(ports_.clock.WallMs());
  const auto [records, found] = pool_.Compute(batch_, state_->filter());
  timer.Lap(Stage::kFingerprint);
  for (size_t i = 0; i < batch_.size(); ++i) {
    if (i + kRecordsAhead < batch_.size()) state_->filter().Prefetch(records[i + kRecordsAhead]);
    NEARDUP_TRY(Route(batch_[i], records[i], found[i]));
    if (open_bytes_ >= options_.transaction_bytes_max) NEARDUP_TRY(CommitOpen());
  }
  timer.Lap(Stage::kDecide);
  batch_.clear();
  return {};
}

Result<void> Lane::Route(const Message& message, FingerprintedRecord& record,
                         const LookedUp& found) {
  NEARDUP_TRY(state_->CheckPosition(message.position));
  NEARDUP_TRY(BeginIfNeeded());
  const std::vector<InputProgress>& inputs = state_->inputs();
  const InputPartition& input = inputs[message.position.input].partition;
  const size_t bytes = BytesOf(message);
  bool by_reference = RefusedForGood(message, record);
  const size_t bytes_max = ports_.transaction.record_bytes_max(input);
  if (!by_reference && bytes + kHeaderSlackBytes > bytes_max) {
    by_reference = true;
    record.reason = Reason::kTooLarge;
    record.error = "the record has " + std::to_string(bytes) + " bytes, the output topic takes " +
                   std::to_string(bytes_max) + " with our headers; raise its max.message.bytes";
  }
  const Verdict verdict = state_->filter().Decide(record, found);
  const uint64_t seq = state_->Advance(message.position);
  const InputPartition* original = verdict.decision == Decision::kDuplicate
                                       ? &inputs[verdict.original.input].partition
                                       : nullptr;
  const std::vector<HeaderView>& headers = header_writer_.Write(
      seq, input, message.position.offset, verdict, original, record.fingerprint);
  NEARDUP_TRY(
      ports_.transaction.Publish({message, input, verdict, seq, original, headers, by_reference}));
  open_bytes_ += std::max(bytes, kRecordBytesMin);
  record_bytes_mean_ = (record_bytes_mean_ * 63 + bytes) / 64;
  Count(message, verdict, bytes);
  return {};
}

bool Lane::RefusedForGood(const Message& message, FingerprintedRecord& record) {
  if (refused_.empty()) return false;
  const auto found = refused_.find(message.position);
  if (found == refused_.end() || found->second.times < 2) return false;
  record.reason = found->second.reason;
  record.error = found->second.text;
  return true;
}

void Lane::Count(const Message& message, const Verdict& verdict, size_t bytes) {
  counted_.bytes_in += bytes;
  counted_.late += verdict.late ? 1 : 0;
  counted_.clamped += verdict.clamped ? 1 : 0;
  switch (verdict.decision) {
    case Decision::kUnique:
      ++(verdict.passed ? counted_.passed : counted_.unique);
      break;
    case Decision::kDuplicate:
      ++(verdict.kind == MatchKind::kExact ? counted_.exact_duplicates : counted_.near_duplicates);
      counted_.distance_sum += static_cast<uint64_t>(verdict.distance);
      ++counted_.distances[std::min(static_cast<size_t>(verdict.distance),
                                    counted_.distances.size() - 1)];
      break;
    case Decision::kDeadLetter:
      ++counted_.dead_letters[static_cast<size_t>(verdict.reason)];
      break;
  }
  last_timestamp_ms_[message.position.input] = message.timestamp_ms;
  open_timestamps_ms_.push_back(message.timestamp_ms);
}

Result<void> Lane::BeginIfNeeded() {
  if (open_) return {};
  NEARDUP_TRY(ports_.transaction.Begin());
  open_ = true;
  open_since_ms_ = ports_.clock.SteadyMs();
  open_bytes_ = 0;
  return {};
}

Result<void> Lane::CommitOpen() {
  StageTimer timer(ports_.probe);
  for (const Delta& delta : state_->Uncommitted()) {
    NEARDUP_TRY(ports_.transaction.PublishDelta(Encode(delta)));
  }
  // Once the commit below succeeds no other instance can have written before this end.
  const bool mark = ports_.clock.SteadyMs() >= mark_at_ms_;
  int64_t end = 0;
  if (mark) {
    NEARDUP_ASSIGN(end, follower_.End());
  }
  NEARDUP_TRY(ports_.transaction.Commit(state_->inputs()));
  state_->Commit();
  if (mark) {
    follower_.MoveTo(end);
    mark_at_ms_ = ports_.clock.SteadyMs() + kMarkPeriodMs;
  }
  open_ = false;
  backoff_ms_ = 0;
  std::erase_if(refused_, [this](const auto& refused) {
    const Position& position = refused.first;
    return position.offset < state_->inputs()[position.input].next_offset;
  });
  counted_.duration_s = static_cast<double>(ports_.clock.SteadyMs() - open_since_ms_) / 1000;
  const int64_t now_ms = ports_.clock.WallMs();
  for (const int64_t timestamp_ms : open_timestamps_ms_) {
    const int64_t age_ms = timestamp_ms < 0 ? 0 : std::max<int64_t>(0, now_ms - timestamp_ms);
    counted_.latencies_s.push_back(static_cast<double>(age_ms) / 1000);
  }
  ports_.probe.TransactionCommitted(counted_);
  timer.Lap(Stage::kCommit);
  counted_ = {};
  open_timestamps_ms_.clear();
  return {};
}

Result<void> Lane::RefreshInputs() {
  const int64_t now_ms = ports_.clock.SteadyMs();
  if (now_ms < refresh_at_ms_ || open_) return {};
  const bool first = refresh_at_ms_ == 0;
  refresh_at_ms_ = now_ms + options_.partitions_refresh_ms;
  if (first) return {};  // promotion has just looked
  const size_t before = assigned_.size();
  NEARDUP_TRY(AddNewInputs(false));
  return assigned_.size() == before ? Result<void>() : Rewind();
}

void Lane::UpdateIdle() {
  const int64_t now_ms = ports_.clock.SteadyMs();
  for (const InputStatus& status : ports_.source.Status()) {
    int64_t& since_ms = at_end_since_ms_[status.input];
    if (!status.at_end) {
      since_ms = -1;
    } else if (since_ms < 0) {
      since_ms = now_ms;
    }
    state_->filter().SetIdle(status.input, since_ms >= 0 && now_ms - since_ms >= options_.idle_ms);
  }
}

void Lane::ReportPolled() {
  polled_.assign(state_->inputs().size(), {});
  for (const Message& message : batch_) {
    auto& [records, bytes] = polled_[message.position.input];
    ++records;
    bytes += BytesOf(message);
  }
  for (size_t input = 0; input < polled_.size(); ++input) {
    const auto& [records, bytes] = polled_[input];
    if (records > 0) {
      ports_.probe.BatchPolled(state_->inputs()[input].partition, records, bytes);
    }
  }
}

void Lane::ReportGauges() {
  const int64_t now_ms = ports_.clock.SteadyMs();
  if (now_ms < gauges_at_ms_) return;
  gauges_at_ms_ = now_ms + kGaugesPeriodMs;
  const Filter& filter = state_->filter();
  ports_.probe.Gauges({.entries = filter.entries(),
                       .entries_max = options_.filter.window.entries_max,
                       .index_bytes = filter.bytes(),
                       .entries_evicted = filter.entries_evicted(),
                       .entries_expired = filter.entries_expired(),
                       .candidates = filter.candidates(),
                       .oldest_time_ms = filter.oldest_time_ms(),
                       .watermark_ms = filter.watermark_ms(),
                       .horizon_ms = filter.horizon_ms(),
                       .seq = state_->seq_committed()});
  const int64_t wall_ms = ports_.clock.WallMs();
  for (const InputStatus& status : ports_.source.Status()) {
    const int64_t last_ms = last_timestamp_ms_[status.input];
    const bool behind = status.lag_records > 0 && last_ms >= 0;
    const auto lag_s = behind ? static_cast<double>(wall_ms - last_ms) / 1000 : 0.0;
    ports_.probe.InputLag(state_->inputs()[status.input].partition, status.lag_records, lag_s);
  }
}

}  // namespace neardup
