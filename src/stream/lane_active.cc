// The active half of the lane: poll, fingerprint, decide, publish, commit.
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "stream/lane.h"

namespace neardup {
namespace {

constexpr int kPollTimeoutMs = 100;
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
