#include "bindings/batch_filter.h"

#include <algorithm>
#include <future>

#include "stream/state/delta.h"
#include "stream/state/snapshot.h"

namespace neardup {

void FingerprintColumns::Reserve(size_t records) {
  simhash.reserve(records);
  order.reserve(records);
  exact.reserve(records);
  numbers.reserve(records);
  text_keys.reserve(records);
  features.reserve(records);
  time_ms.reserve(records);
  reason.reserve(records);
  passed.reserve(records);
}

void FingerprintColumns::Add(const FingerprintedRecord& record) {
  const ReadOutcome& outcome = record.outcome;
  if (!outcome.error.empty()) errors.emplace_back(size(), outcome.error);
  simhash.push_back(record.fingerprint.simhash);
  order.push_back(record.fingerprint.order);
  exact.push_back(record.fingerprint.exact);
  numbers.push_back(record.fingerprint.numbers);
  auto& keys = text_keys.emplace_back();
  std::copy(record.text_keys.keys().begin(), record.text_keys.keys().end(), keys.begin());
  features.push_back(record.features);
  time_ms.push_back(outcome.time_ms);
  reason.push_back(static_cast<uint8_t>(outcome.reason));
  passed.push_back(outcome.passed ? 1 : 0);
}

FingerprintedRecord FingerprintColumns::At(size_t row, Position position) const {
  FingerprintedRecord record;
  record.position = position;
  record.outcome.time_ms = time_ms[row];
  record.outcome.reason = static_cast<Reason>(reason[row]);
  record.outcome.passed = passed[row] != 0;
  record.fingerprint = {simhash[row], order[row], exact[row], numbers[row]};
  for (const uint32_t key : text_keys[row]) {
    if (key != 0) record.text_keys.Add(key);
  }
  record.features = features[row];
  return record;
}

namespace {

constexpr uint32_t kInput = 0;
/// The one input of the deltas. A lane of the service has names of topics here.
constexpr const char* kInputName = "records";
/// Fingerprints that are computed together, where no commit asks for fewer.
constexpr size_t kFingerprintedTogether = 4096;

/// Waits for a task that uses variables of this block, also when the block ends with an exception.
struct WaitFor {
  const std::future<bool>& task;
  ~WaitFor() {
    if (task.valid()) task.wait();
  }
};

}  // namespace

void VerdictColumns::Reserve(size_t records) {
  decision.reserve(records);
  original.reserve(records);
  distance.reserve(records);
  kind.reserve(records);
  reason.reserve(records);
  late.reserve(records);
}

void VerdictColumns::Add(const Verdict& verdict) {
  const bool duplicate = verdict.decision == Decision::kDuplicate;
  if (!verdict.outcome.error.empty()) errors.emplace_back(size(), verdict.outcome.error);
  decision.push_back(static_cast<uint8_t>(verdict.decision));
  original.push_back(duplicate ? verdict.match.original.offset : kNoOriginal);
  distance.push_back(duplicate ? static_cast<int16_t>(verdict.match.distance) : kNoDistance);
  kind.push_back(duplicate ? static_cast<uint8_t>(verdict.match.kind) : kNoKind);
  reason.push_back(static_cast<uint8_t>(verdict.outcome.reason));
  late.push_back(verdict.late ? 1 : 0);
}

Result<std::unique_ptr<BatchFilter>> BatchFilter::New(const BatchOptions& options) {
  NEARDUP_ASSIGN(std::unique_ptr<LaneState> state, LaneState::New(options.filter, kBatchLane));
  return std::unique_ptr<BatchFilter>(new BatchFilter(options, std::move(state)));
}

BatchFilter::BatchFilter(const BatchOptions& options, std::unique_ptr<LaneState> state)
    : options_(options),
      state_(std::move(state)),
      pool_(options.near_features ? WithNearFeatures(options.filter) : options.filter,
            options.threads) {
  options_.commit_records = std::max<uint64_t>(options_.commit_records, 1);
}

void BatchFilter::SetClock(int64_t now_ms) { state_->filter().SetClock(now_ms); }

int64_t BatchFilter::decided() const { return static_cast<int64_t>(state_->seq()); }

Position BatchFilter::PositionOf(size_t ahead) const {
  return {kInput, decided() + static_cast<int64_t>(ahead)};
}

size_t BatchFilter::NextChunk(size_t records_left) const {
  return std::min<uint64_t>(
      {options_.commit_records - uncommitted_, records_left, kFingerprintedTogether});
}

void BatchFilter::Decide(const RecordBatch& batch, VerdictColumns& verdicts,
                         FingerprintColumns* kept) {
  const int64_t first = decided();
  const auto fingerprint = [&](size_t begin, size_t count, std::vector<FingerprintedRecord>& to) {
    pool_.Fingerprint(
        count,
        [&](size_t i, RecordBuffer& buffer) {
          RecordView record = batch.at(begin + i, buffer);
          record.position = {kInput, first + static_cast<int64_t>(begin + i)};
          return record;
        },
        to);
    return true;
  };
  size_t begin = 0;
  size_t count = NextChunk(batch.count);
  if (count > 0) fingerprint(0, count, chunk_);
  while (count > 0) {
    // Where the next chunk begins is known before this one is decided; so is its length, since a
    // commit ends a chunk.
    const size_t next_begin = begin + count;
    const uint64_t uncommitted = (uncommitted_ + count) % options_.commit_records;
    const size_t next_count = std::min<uint64_t>(
        {options_.commit_records - uncommitted, batch.count - next_begin, kFingerprintedTogether});
    std::future<bool> ready;
    const WaitFor wait{ready};
    if (next_count > 0) {
      ready = ahead_.Run(
          [&, next_begin, next_count] { return fingerprint(next_begin, next_count, next_chunk_); });
    }
    const std::span<const FingerprintedRecord> chunk = std::span(chunk_).first(count);
    DecideChunk(chunk, verdicts);
    if (kept != nullptr) {
      for (const FingerprintedRecord& record : chunk) kept->Add(record);
    }
    if (ready.valid()) ready.get();
    std::swap(chunk_, next_chunk_);
    begin = next_begin;
    count = next_count;
  }
}

void BatchFilter::Decide(const FingerprintColumns& fingerprints, size_t begin, size_t end,
                         VerdictColumns& verdicts) {
  while (begin < end) {
    const size_t count = NextChunk(end - begin);
    chunk_.resize(std::max(chunk_.size(), count));
    for (size_t i = 0; i < count; ++i) chunk_[i] = fingerprints.At(begin + i, PositionOf(i));
    DecideChunk(std::span(chunk_).first(count), verdicts);
    begin += count;
  }
}

void BatchFilter::DecideChunk(std::span<const FingerprintedRecord> records,
                              VerdictColumns& verdicts) {
  Filter& filter = state_->filter();
  if (state_->inputs().empty()) {
    const Result<uint32_t> added = state_->AddInput({kInputName, 0}, 0);
    assert(added.ok());
  }
  const std::span<const LookedUp> found = pool_.LookUp(records, filter);
  for (size_t i = 0; i < records.size(); ++i) {
    filter.Prefetch(records, i);
    verdicts.Add(filter.Decide(records[i], found[i]));
    state_->Advance(records[i].position);
  }
  uncommitted_ += records.size();
  if (uncommitted_ >= options_.commit_records) Commit();
}

void BatchFilter::Check(const RecordBatch& batch, VerdictColumns& verdicts) {
  for (size_t begin = 0; begin < batch.count; begin += kFingerprintedTogether) {
    const size_t count = std::min(batch.count - begin, kFingerprintedTogether);
    pool_.Fingerprint(
        count,
        [&](size_t i, RecordBuffer& buffer) {
          RecordView record = batch.at(begin + i, buffer);
          record.position = {kInput, kOffsetMax};  // of no remembered record
          return record;
        },
        chunk_);
    for (const FingerprintedRecord& record : std::span(chunk_).first(count)) {
      Verdict verdict;
      verdict.outcome = record.outcome;
      if (record.outcome.reason != Reason::kNone) {
        verdict.decision = Decision::kDeadLetter;
      } else if (const std::vector<Match> matches = filter().FindAll(record); !matches.empty()) {
        verdict.decision = Decision::kDuplicate;
        verdict.match = matches.front();
      }
      verdicts.Add(verdict);
    }
  }
}

void BatchFilter::Commit() {
  if (sink_) {
    for (const Delta& delta : state_->Uncommitted()) sink_(delta);
  }
  state_->BeginCommit();
  state_->Commit();
  uncommitted_ = 0;
}

Result<void> BatchFilter::Restore(Delta delta) { return state_->Apply(std::move(delta)); }

void ComputeFingerprints(FingerprintPool& pool, const RecordBatch& batch,
                         FingerprintColumns& columns) {
  std::vector<FingerprintedRecord> records;
  for (size_t begin = 0; begin < batch.count; begin += kFingerprintedTogether) {
    const size_t count = std::min(batch.count - begin, kFingerprintedTogether);
    pool.Fingerprint(
        count, [&](size_t i, RecordBuffer& buffer) { return batch.at(begin + i, buffer); },
        records);
    for (const FingerprintedRecord& record : std::span(records).first(count)) columns.Add(record);
  }
}

Result<std::unique_ptr<SegmentedFilter>> SegmentedFilter::New(const BatchOptions& options) {
  NEARDUP_ASSIGN(std::unique_ptr<BatchFilter> filter, BatchFilter::New(options));
  return std::unique_ptr<SegmentedFilter>(new SegmentedFilter(std::move(filter)));
}

SegmentedFilter::SegmentedFilter(std::unique_ptr<BatchFilter> filter)
    : filter_(std::move(filter)), segment_(SegmentHeader(kBatchLane)) {
  filter_->SetSink([this](const Delta& delta) {
    segment_ += SegmentFrame(delta);
    entries_ += delta.entries.size();
  });
}

std::string SegmentedFilter::TakeSegment() {
  entries_ = 0;
  return std::exchange(segment_, SegmentHeader(kBatchLane));
}

Result<void> SegmentedFilter::Restore(std::string_view segment) {
  return ReadSegmentBytes(segment, kBatchLane,
                          [this](Delta&& delta) { return filter_->Restore(std::move(delta)); });
}

}  // namespace neardup
