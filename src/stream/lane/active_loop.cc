#include "stream/lane/active_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace neardup {
namespace {

constexpr int kPollTimeoutMs = 100;
// How long a batch that is read ahead waits for its first record. The lane takes it when it has
// decided the previous batch, which may be all that there is.
constexpr int kBesideDecisionsMs = 1;
constexpr int kBesideCommitMs = 10;
// How often positions that moved without a record are made durable. If retention deletes what lies
// before them, a start within this time would find its offset gone.
constexpr int64_t kPositionsPeriodMs = 10'000;

class StageTimer {
 public:
  explicit StageTimer(Probe& probe) : probe_(probe) {}
  /// Reports the time since the last lap, and returns it.
  double Lap(Stage stage) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - started_).count();
    probe_.On(event::StageTimed{stage, seconds});
    started_ = now;
    return seconds;
  }

 private:
  Probe& probe_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace

ActiveLoop::ActiveLoop(const LaneOptions& options, const LanePorts& ports, LaneState& state,
                       LaneInputs& inputs, StateFollower& follower)
    : options_(options),
      ports_(ports),
      state_(state),
      inputs_(inputs),
      follower_(follower),
      pool_(options.filter, options.fingerprint_threads),
      reader_(ports.source, pool_),
      header_writer_(options.headers, options.pipeline.topics.lanes > 1
                                          ? std::optional(options.lane)
                                          : std::nullopt),
      open_(options_, ports.transaction, ports.clock),
      dead_letters_(options_.dead_letters, options_.filter.record) {}

Result<int64_t> ActiveLoop::Open(bool renumbered) {
  if (renumbered) refused_.Clear();
  NEARDUP_TRY(open_.Begin());
  const auto opening_deltas = static_cast<int64_t>(state_.Uncommitted().size());
  NEARDUP_TRY(Commit());
  return opening_deltas;
}

Result<void> ActiveLoop::Step() {
  // A batch that was read ahead continues where the inputs stand.
  if (!open_.is_open() && !reader_.has_begun()) NEARDUP_TRY(RefreshInputs());
  int64_t timeout_ms = kPollTimeoutMs;
  if (open_.is_open()) timeout_ms = std::clamp(open_.left_ms(), int64_t{0}, timeout_ms);
  NEARDUP_TRY(TakeBatch(batch_, timeout_ms));
  NEARDUP_TRY(DecideAndPublish());
  inputs_.UpdateEnds(state_);
  if (open_.is_due() || (open_.is_open() && inputs_.exhausted())) {
    NEARDUP_TRY(CommitAndDecideAhead());
  }
  const bool positions_due = inputs_.lost_any() || ports_.clock.SteadyMs() >= positions_at_ms_;
  if (!open_.is_open() && positions_due) NEARDUP_TRY(CommitPositions());
  return {};
}

bool ActiveLoop::has_nothing_left() const {
  return inputs_.exhausted() && batch_.size() == 0 && !reader_.has_begun() && !open_.is_open();
}

Result<void> ActiveLoop::CommitAll() { return open_.is_open() ? Commit() : CommitPositions(); }

Result<void> ActiveLoop::Confirm() {
  NEARDUP_TRY(open_.Begin());
  return Commit();
}

Result<void> ActiveLoop::Abort() {
  NEARDUP_TRY(ports_.transaction.Abort());
  for (const Transaction::Refusal& refusal : ports_.transaction.TakeRefusals()) {
    const InputPartition& input = state_.inputs()[refusal.position.input].partition;
    NEARDUP_TRY(refused_.Add(refusal, input));
    ports_.probe.On(event::RecordRefused{input, refusal.position.offset, refusal.text});
  }
  Forget();
  return {};
}

void ActiveLoop::Forget() {
  state_.Rollback();
  open_.Forget();
  ReportSize();
  reader_.Discard();
  batch_.Clear();
  ahead_.clear();
  ahead_s_ = 0;
}

/// What seems to be lost may be what a new owner has decided, and retention has deleted since. Only
/// the owner of the lane can tell, and only an owner can commit.
Result<void> ActiveLoop::RefreshInputs() {
  const Result<void> refreshed = inputs_.Refresh(state_);
  if (refreshed.ok() || refreshed.error().code != ErrorCode::kNotFound) return refreshed;
  const Result<void> committed = Confirm();
  // A topic that does not exist makes every commit abort.
  if (committed.ok() || committed.error().code == ErrorCode::kAborted) return refreshed;
  return committed;
}

Result<void> ActiveLoop::TakeBatch(DecidedBatch& to, int64_t timeout_ms) {
  if (!reader_.has_begun()) reader_.Begin(records_to_poll(), static_cast<int>(timeout_ms));
  Batch& batch = to.batch;
  NEARDUP_TRY(reader_.Take(batch));
  inputs_.Took(state_, batch);
  if (batch.messages.empty()) return {};
  ports_.probe.On(event::StageTimed{Stage::kPoll, batch.poll_s});
  ports_.probe.On(event::StageTimed{Stage::kFingerprint, batch.fingerprint_s});
  ports_.probe.On(event::BatchFingerprinted{batch.messages,
                                            std::span(batch.records).first(batch.messages.size())});
  return {};
}

void ActiveLoop::ReadAhead(int timeout_ms) {
  reader_.Collect(0);
  // A refresh moves the inputs. So all polled records must be decided before it.
  if (inputs_.exhausted() || inputs_.NeedsRefresh()) return;
  const size_t records = records_to_poll();
  const bool has_room = reader_.batches_ahead() + ahead_.size() < kBatchesAheadMax;
  if (records > 0 && has_room && reader_.CanBegin()) reader_.Begin(records, timeout_ms);
}

/// The records that were read and are not in the current batch fit into one transaction.
size_t ActiveLoop::records_to_poll() const {
  const size_t fit = std::max<size_t>(1, open_.records_that_fit());
  size_t ahead = reader_.records_ahead();
  for (const DecidedBatch& batch : ahead_) ahead += batch.size();
  return std::min(fit - std::min(fit, ahead), options_.batch_records_max);
}

Result<void> ActiveLoop::DecideAndPublish() {
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
      // Each suspect waits for its own answer. Many of them take longer than a transaction may
      // last.
      const bool ends_early = refused_.any() && open_.is_due();
      if (open_.is_full() || ends_early) NEARDUP_TRY(Commit());
    }
    timer.Lap(Stage::kDecide);
  }
  batch_.Clear();
  return {};
}

std::span<const LookedUp> ActiveLoop::LookUp(const DecidedBatch& batch) {
  Filter& filter = state_.filter();
  filter.SetClock(ports_.clock.WallMs());
  return pool_.LookUp(
      std::span(batch.batch.records).first(batch.size()).subspan(batch.decided.size()), filter);
}

Result<void> ActiveLoop::DecideNext(DecidedBatch& batch, const LookedUp& found) {
  const size_t number = batch.decided.size();
  const Message& message = batch.batch.messages[number];
  const Position& position = message.position;
  Filter& filter = state_.filter();
  filter.Prefetch(std::span(batch.batch.records).first(batch.size()), number);
  NEARDUP_TRY(state_.CheckPosition(position));
  DecidedRecord& decided = batch.decided.emplace_back();
  decided.bytes = BytesOf(message);
  const InputPartition& input = state_.inputs()[position.input].partition;
  size_t bytes_max = ports_.transaction.record_bytes_max(input);
  if (!RefusedRecords::Fits(decided.bytes, bytes_max)) {
    ports_.transaction.RefreshLimits(input);
    bytes_max = ports_.transaction.record_bytes_max(input);
  }
  const bool too_large = !RefusedRecords::Fits(decided.bytes, bytes_max);
  decided.alone = too_large && ports_.transaction.compresses();
  std::optional<Verdict> undeliverable =
      refused_.DeadLetter(position, decided.bytes, decided.alone ? SIZE_MAX : bytes_max);
  decided.by_reference = undeliverable.has_value();
  decided.verdict =
      undeliverable ? std::move(*undeliverable) : filter.Decide(batch.batch.records[number], found);
  const bool duplicate = decided.verdict.decision == Decision::kDuplicate;
  if (duplicate && options_.routing.has_groups()) {
    decided.joined = state_.Join(decided.verdict, position, options_.routing.keep);
  }
  decided.route = RouteOf(options_.routing, decided.verdict, input, position.offset,
                          decided.by_reference, decided.joined && decided.joined->replaces);
  if (decided.route == Route::kNowhere) state_.CountDropped();
  decided.seq = state_.Advance(position);
  return {};
}

Result<void> ActiveLoop::PublishNext(DecidedBatch& batch) {
  const DecidedRecord& decided = batch.decided[batch.published];
  const Message& message = batch.batch.messages[batch.published];
  const Verdict& verdict = decided.verdict;
  const Position& position = message.position;
  const std::vector<InputProgress>& inputs = state_.inputs();
  const InputPartition& input = inputs[position.input].partition;
  NEARDUP_TRY(open_.Begin());
  if (verdict.decision == Decision::kDeadLetter) dead_letters_.Saw(message, input, verdict);
  const InputPartition* original =
      verdict.has_match() ? &inputs[verdict.match.original.input].partition : nullptr;
  RoutedRecord routed{.message = message,
                      .input = input,
                      .verdict = verdict,
                      .fingerprint = batch.batch.records[batch.published].fingerprint,
                      .route = decided.route,
                      .mode = options_.routing.mode,
                      .seq = decided.seq,
                      .original_input = original,
                      .by_reference = decided.by_reference,
                      .alone = decided.alone || refused_.IsSuspect(position),
                      .joined = decided.joined ? &*decided.joined : nullptr};
  if (decided.joined && options_.routing.keep == Keep::kNewest) {
    routed.newest_input = &inputs[decided.joined->newest_before.input].partition;
  }
  const std::string group_key = GroupKeyOf(decided, message);
  if (!group_key.empty()) {
    routed.group_key = group_key;
    if (verdict.decision == Decision::kDuplicate) routed.group_input = original;
  }
  routed.headers = &header_writer_.Write(routed);
  NEARDUP_TRY(open_.Publish(routed, decided.bytes));
  inputs_.Decided(message);
  ++batch.published;
  return {};
}

std::string ActiveLoop::GroupKeyOf(const DecidedRecord& decided, const Message& message) const {
  if (options_.unique_key != UniqueKey::kGroup || decided.route != Route::kUnique) return {};
  const bool copy = decided.verdict.decision == Decision::kDuplicate;
  const Position& original = copy ? decided.verdict.match.original : message.position;
  return GroupKey(state_.inputs()[original.input].partition, original.offset);
}

Result<void> ActiveLoop::Commit() {
  NEARDUP_TRY(StartCommit());
  return FinishCommit();
}

Result<void> ActiveLoop::CommitAndDecideAhead() {
  NEARDUP_TRY(StartCommit());
  const Result<void> decided = WorkUntilCommitted();
  NEARDUP_TRY(FinishCommit());
  NEARDUP_TRY(decided);
  if (!ahead_.empty()) NEARDUP_TRY(BeginWithAhead());
  for (; !ahead_.empty(); ahead_.pop_front()) {
    std::swap(batch_, ahead_.front());
    NEARDUP_TRY(DecideAndPublish());
    spare_.push_back(std::move(ahead_.front()));
  }
  return {};
}

Result<void> ActiveLoop::WorkUntilCommitted() {
  while (!ports_.transaction.CommitHasEnded()) {
    NEARDUP_ASSIGN(const bool decided, DecideAhead());
    if (decided) continue;
    if (!reader_.is_reading()) {
      const size_t before = reader_.records_ahead();
      ReadAhead(kBesideCommitMs);
      const bool nothing_left = !reader_.is_reading() && reader_.records_ahead() == before;
      if (nothing_left) return {};
    }
    reader_.Collect(kBesideCommitMs);
  }
  return {};
}

/// A lane that keeps up counts the interval of the transaction from the first decision, so that a
/// record waits for at most one interval and one commit. A lane that is behind counts it from here:
/// fewer and larger transactions cost the brokers less, and the backlog shrinks faster.
Result<void> ActiveLoop::BeginWithAhead() {
  int64_t decided = 0;
  for (const DecidedBatch& batch : ahead_) decided += static_cast<int64_t>(batch.decided.size());
  return inputs_.lag_records() > decided ? open_.Begin() : open_.BeginSince(ahead_since_ms_);
}

Result<bool> ActiveLoop::DecideAhead() {
  if (!ahead_.empty() && !ahead_.back().is_decided()) return false;
  reader_.Collect(0);
  // A refresh needs a moment without an open transaction. Suspects that are decided ahead could not
  // be committed in pieces.
  if (reader_.records_ahead() == 0 || inputs_.NeedsRefresh() || refused_.any()) return false;
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

Result<void> ActiveLoop::StartCommit() {
  commit_began_ = std::chrono::steady_clock::now();
  NEARDUP_TRY(CheckDeadLetters());
  NEARDUP_TRY(follower_.BeforeDeltas());
  NEARDUP_TRY(open_.PublishDeltas(state_));
  if (options_.routing.publish_groups) NEARDUP_TRY(open_.PublishGroups(state_));
  state_.BeginCommit();
  ports_.transaction.StartCommit(inputs_.Progress(state_));
  return {};
}

Result<void> ActiveLoop::FinishCommit() {
  NEARDUP_TRY(ports_.transaction.FinishCommit());
  state_.Commit();
  follower_.Committed(open_.newest_delta());
  inputs_.Committed();
  positions_at_ms_ = ports_.clock.SteadyMs() + kPositionsPeriodMs;
  ++commits_;
  refused_.DropCommitted(state_.committed_offsets());
  CountCommitted();
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - commit_began_;
  ports_.probe.On(event::StageTimed{Stage::kCommit, lasted.count() - std::exchange(ahead_s_, 0)});
  return {};
}

Result<void> ActiveLoop::CheckDeadLetters() {
  const DeadLetterOptions& options = options_.dead_letters;
  const bool first_commit = state_.seq_committed() == 0;
  const std::optional<std::string> why = dead_letters_.Judge(open_.counted(), first_commit);
  if (!why) return {};
  ports_.probe.On(event::DeadLettersExcessive{true, *why});
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

void ActiveLoop::CountCommitted() {
  const CommittedBatch batch = open_.Close();
  const bool excessive = dead_letters_.excessive();
  dead_letters_.Committed(batch, ports_.clock.SteadyMs());
  ports_.probe.On(event::TransactionCommitted{batch});
  ReportSize();
  if (excessive && !dead_letters_.excessive())
    ports_.probe.On(event::DeadLettersExcessive{false, {}});
}

void ActiveLoop::ReportSize() {
  const TransactionSize& size = open_.size();
  if (std::exchange(reported_bytes_max_, size.bytes_max()) == size.bytes_max()) return;
  ports_.probe.On(event::TransactionSized{size.bytes_max(), size.is_limited()});
}

Result<void> ActiveLoop::CommitPositions() {
  if (!state_.moved()) return {};
  NEARDUP_TRY(open_.Begin());
  return Commit();
}

}  // namespace neardup
