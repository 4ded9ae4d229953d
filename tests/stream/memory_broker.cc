#include "stream/memory_broker.h"

#include <algorithm>

namespace neardup {
namespace {

Result<void> AsError(Faults::Kind kind) {
  switch (kind) {
    case Faults::Kind::kNone:
      return {};
    case Faults::Kind::kCrash:
      return Fatal(ErrorCode::kInternal, "crash");
    case Faults::Kind::kUnavailable:
      return Retriable(ErrorCode::kUnavailable, "no answer");
    case Faults::Kind::kAborted:
      return Error{ErrorCode::kAborted, "must abort"};
    case Faults::Kind::kFenced:
      return Error{ErrorCode::kFenced, "fenced"};
    case Faults::Kind::kUnknownHappened:
    case Faults::Kind::kUnknownLost:
      return Error{ErrorCode::kUnknownOutcome, "timed out"};
  }
  return {};
}

using Kind = Faults::Kind;

}  // namespace

Faults::Kind Faults::Draw(std::initializer_list<Kind> possible) {
  if (possible.size() == 0 || one_in_ == 0 || random_() % one_in_ != 0) return Kind::kNone;
  ++drawn_;
  return possible.begin()[random_() % possible.size()];
}

Result<FoundInputs> MemorySource::Find() {
  NEARDUP_TRY(AsError(faults_.Draw({Kind::kCrash, Kind::kUnavailable})));
  FoundInputs found;
  for (const auto& [partition, records] : broker_.inputs) {
    if (!broker_.missing_topics.contains(partition.topic)) found.partitions.push_back(partition);
  }
  found.missing_topics.assign(broker_.missing_topics.begin(), broker_.missing_topics.end());
  return found;
}

Result<OffsetBounds> MemorySource::Bounds(const InputPartition& partition) {
  return OffsetBounds{broker_.Begin(partition), broker_.End(partition)};
}

Result<void> MemorySource::Assign(std::span<const InputAssignment> inputs) {
  NEARDUP_TRY(AsError(faults_.Draw({Kind::kCrash, Kind::kUnavailable})));
  assigned_.assign(inputs.begin(), inputs.end());
  return {};
}

Result<void> MemorySource::Poll(size_t records_max, int, std::vector<Message>& out) {
  NEARDUP_TRY(AsError(faults_.Draw({Kind::kCrash, Kind::kUnavailable})));
  if (assigned_.empty()) return {};
  const size_t want = 1 + faults_.random()() % std::min<size_t>(records_max, 40);
  for (size_t tries = 0; tries < assigned_.size() * 2 && out.size() < want; ++tries) {
    InputAssignment& input = assigned_[faults_.random()() % assigned_.size()];
    if (TroubleOf(input) != InputTrouble::kNone) continue;
    for (const MemoryRecord& record : broker_.inputs[input.partition]) {
      if (record.offset < input.next_offset || out.size() >= want) continue;
      Message message;
      message.position = {input.input, record.offset};
      message.timestamp_ms = record.timestamp_ms;
      message.value = record.value;
      out.push_back(std::move(message));
      input.next_offset = record.offset + 1;
    }
    if (IsAtEnd(input)) input.next_offset = broker_.End(input.partition);
  }
  return {};
}

InputTrouble MemorySource::TroubleOf(const InputAssignment& input) const {
  const InputPartition& partition = input.partition;
  if (broker_.missing_topics.contains(partition.topic)) return InputTrouble::kMissing;
  if (broker_.unreachable.contains(partition)) return InputTrouble::kUnreachable;
  const bool held =
      broker_.Begin(partition) <= input.next_offset && input.next_offset <= broker_.End(partition);
  return held ? InputTrouble::kNone : InputTrouble::kOffsetGone;
}

bool MemorySource::IsAtEnd(const InputAssignment& input) const {
  const std::vector<MemoryRecord>& records = broker_.inputs[input.partition];
  return records.empty() || records.back().offset < input.next_offset;
}

std::vector<InputStatus> MemorySource::Status() {
  std::vector<InputStatus> status;
  for (const InputAssignment& input : assigned_) {
    const InputTrouble trouble = TroubleOf(input);
    const bool at_end = IsAtEnd(input) && trouble == InputTrouble::kNone;
    status.push_back({input.input, input.next_offset, at_end, at_end ? 0 : 1, trouble});
  }
  return status;
}

Result<void> MemoryChangelog::Open(int64_t offset) {
  next_offset_ = std::max(offset, broker_.changelog_begin);
  is_open_ = true;
  return {};
}

Result<void> MemoryChangelog::Poll(
    int, const std::function<Result<void>(const ChangelogRecord&)>& visit) {
  NEARDUP_TRY(AsError(faults_.Draw({Kind::kCrash, Kind::kUnavailable})));
  if (!is_open_) return Fatal(ErrorCode::kInternal, "the changelog is not open");
  if (next_offset_ < broker_.changelog_begin) {
    return Error{ErrorCode::kNotFound, "the offset was purged"};
  }
  for (int n = 0; n < 3 && next_offset_ < static_cast<int64_t>(broker_.changelog.size()); ++n) {
    const std::string& bytes = broker_.changelog[static_cast<size_t>(next_offset_)];
    if (!bytes.empty()) NEARDUP_TRY(visit({next_offset_, bytes}));
    ++next_offset_;
  }
  return {};
}

Result<int64_t> MemoryChangelog::End() {
  if (end_unknown) return Retriable(ErrorCode::kUnavailable, "no leader");
  if (stale_end >= 0) return std::exchange(stale_end, -1);
  return CommittedEnd();
}

Result<int64_t> MemoryChangelog::CommittedEnd() {
  NEARDUP_TRY(AsError(faults_.Draw({Kind::kCrash, Kind::kUnavailable})));
  return static_cast<int64_t>(broker_.changelog.size());
}

Result<void> MemoryChangelog::Purge(int64_t offset) {
  NEARDUP_TRY(AsError(faults_.Draw({Kind::kCrash, Kind::kUnavailable})));
  broker_.changelog_begin = std::max(broker_.changelog_begin, offset);
  return {};
}

Result<void> MemoryTransaction::Check(std::initializer_list<Kind> possible) {
  const Kind kind = faults_.Draw(possible);
  if (kind != Kind::kNone && kind != Kind::kAborted) usable_ = false;
  NEARDUP_TRY(AsError(kind));
  if (epoch_ != broker_.producer_epoch) {
    usable_ = false;
    return Error{ErrorCode::kFenced, "fenced by a newer instance"};
  }
  assert(usable_);
  return {};
}

Result<void> MemoryTransaction::Fence() {
  NEARDUP_TRY(AsError(faults_.Draw({Kind::kCrash, Kind::kUnavailable})));
  epoch_ = ++broker_.producer_epoch;
  usable_ = true;
  open_ = false;
  outputs_.clear();
  deltas_.clear();
  refusals_.clear();
  return {};
}

Result<void> MemoryTransaction::Begin() {
  NEARDUP_TRY(Check({Kind::kCrash, Kind::kFenced}));
  assert(!open_);
  open_ = true;
  return {};
}

Result<void> MemoryTransaction::Publish(const RoutedRecord& record) {
  NEARDUP_TRY(Check({Kind::kCrash, Kind::kAborted, Kind::kFenced}));
  assert(open_);
  const std::optional<std::string_view> value = record.message.value;
  if (!broker_.poison.empty() && !record.by_reference && value &&
      value->find(broker_.poison) != std::string_view::npos) {
    refusals_.push_back({record.message.position, Reason::kUndeliverable, "poison"});
  }
  MemoryOutput output;
  output.seq = record.seq;
  output.input = record.input;
  output.offset = record.message.position.offset;
  output.verdict = record.verdict;
  if (record.original_input != nullptr) output.original_input = *record.original_input;
  if (!record.by_reference) output.value = record.message.value;
  output.by_reference = record.by_reference;
  outputs_.push_back(std::move(output));
  return {};
}

Result<void> MemoryTransaction::PublishDelta(std::string_view bytes) {
  NEARDUP_TRY(Check({Kind::kCrash, Kind::kAborted, Kind::kFenced}));
  assert(open_);
  deltas_.emplace_back(bytes);
  return {};
}

Result<void> MemoryTransaction::Commit(std::span<const InputProgress> inputs) {
  const bool unknown_topic =
      std::any_of(inputs.begin(), inputs.end(), [this](const InputProgress& input) {
        return broker_.missing_topics.contains(input.partition.topic) ||
               broker_.unknown_topics.contains(input.partition.topic);
      });
  if (epoch_ == broker_.producer_epoch && refusals_.empty() && !unknown_topic) {
    const Kind kind = faults_.Draw(
        {Kind::kCrash, Kind::kAborted, Kind::kFenced, Kind::kUnknownHappened, Kind::kUnknownLost});
    // A crash after the commit, too, is a commit whose outcome nobody heard of.
    const bool happens =
        kind == Kind::kUnknownHappened || (kind == Kind::kCrash && faults_.random()() % 2 == 0);
    if (happens) Apply(inputs);
    if (kind != Kind::kNone && kind != Kind::kAborted) usable_ = false;
    NEARDUP_TRY(AsError(kind));
  }
  NEARDUP_TRY(Check({}));
  assert(open_);
  if (unknown_topic) return Error{ErrorCode::kAborted, "an offset's topic does not exist"};
  if (!refusals_.empty()) return Error{ErrorCode::kAborted, "a record was refused"};
  Apply(inputs);
  return {};
}

void MemoryTransaction::Apply(std::span<const InputProgress> inputs) {
  broker_.outputs.insert(broker_.outputs.end(), outputs_.begin(), outputs_.end());
  broker_.changelog.insert(broker_.changelog.end(), deltas_.begin(), deltas_.end());
  for (const InputProgress& input : inputs) {
    broker_.group_offsets[input.partition] = input.next_offset;
  }
  broker_.commits.push_back({broker_.outputs.size(), broker_.changelog.size()});
  outputs_.clear();
  deltas_.clear();
  open_ = false;
}

Result<void> MemoryTransaction::Abort() {
  NEARDUP_TRY(Check({Kind::kCrash, Kind::kUnavailable, Kind::kFenced}));
  outputs_.clear();
  deltas_.clear();
  open_ = false;
  return {};
}

void MemoryTransaction::Abandon(bool) {
  outputs_.clear();
  deltas_.clear();
  usable_ = open_ = false;
}

Result<std::vector<int64_t>> MemoryTransaction::CommittedOffsets(
    std::span<const InputPartition> inputs) {
  if (!broker_.group_answers) return Retriable(ErrorCode::kUnavailable, "offsets are held back");
  std::vector<int64_t> offsets;
  for (const InputPartition& input : inputs) {
    const auto found = broker_.group_offsets.find(input);
    offsets.push_back(found == broker_.group_offsets.end() ? -1 : found->second);
  }
  return offsets;
}

}  // namespace neardup
