#include "stream/lane/memory_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <optional>
#include <utility>

namespace neardup {
namespace {

using Kind = Faults::Kind;

Result<void> AsError(Kind kind) {
  switch (kind) {
    case Kind::kNone:
    case Kind::kCopyLate:
      return {};
    case Kind::kCrash:
      return Fatal(ErrorCode::kInternal, "crash");
    case Kind::kUnavailable:
    case Kind::kLostAnswer:
      return Retriable(ErrorCode::kUnavailable, "no answer");
    case Kind::kAborted:
      return Error{ErrorCode::kAborted, "must abort"};
    case Kind::kFenced:
      return Error{ErrorCode::kFenced, "fenced"};
    case Kind::kUnknownHappened:
    case Kind::kUnknownLate:
    case Kind::kUnknownLost:
      return Error{ErrorCode::kUnknownOutcome, "timed out"};
  }
  return {};
}

}  // namespace

Kind Faults::Draw(std::string_view, std::initializer_list<Kind> possible) {
  if (possible.size() == 0 || one_in_ == 0 || random_() % one_in_ != 0) return Kind::kNone;
  ++drawn_;
  return possible.begin()[random_() % possible.size()];
}

// ---- source

Result<FoundInputs> MemorySource::Find() {
  NEARDUP_TRY(AsError(faults_.Draw("Find", {Kind::kCrash, Kind::kUnavailable})));
  FoundInputs found;
  for (const auto& [partition, records] : broker_.inputs) {
    if (!broker_.missing_topics.contains(partition.topic)) found.partitions.push_back(partition);
  }
  found.missing_topics.assign(broker_.missing_topics.begin(), broker_.missing_topics.end());
  return found;
}

Result<OffsetBounds> MemorySource::Bounds(const InputPartition& partition) {
  NEARDUP_TRY(AsError(faults_.Draw("Bounds", {Kind::kCrash, Kind::kUnavailable})));
  if (broker_.missing_topics.contains(partition.topic)) {
    return Error{ErrorCode::kNotFound, "no such topic"};
  }
  return OffsetBounds{broker_.Begin(partition), broker_.End(partition)};
}

Result<std::optional<uint64_t>> MemorySource::ChecksumAt(const InputPartition& partition,
                                                         int64_t offset) {
  NEARDUP_TRY(AsError(faults_.Draw("ChecksumAt", {Kind::kCrash, Kind::kUnavailable})));
  if (broker_.unreachable.contains(partition)) {
    return Retriable(ErrorCode::kUnavailable, "no leader");
  }
  for (const MemoryRecord& record : broker_.inputs[partition]) {
    if (record.offset != offset || offset < broker_.Begin(partition)) continue;
    Message message;
    message.timestamp_ms = record.timestamp_ms;
    message.value = record.value;
    return {ChecksumOf(message)};
  }
  return {std::nullopt};
}

Result<void> MemorySource::Assign(std::span<const InputAssignment> inputs) {
  NEARDUP_TRY(AsError(faults_.Draw("Assign", {Kind::kCrash, Kind::kUnavailable})));
  assigned_.assign(inputs.begin(), inputs.end());
  return {};
}

Result<void> MemorySource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  NEARDUP_TRY(AsError(faults_.Draw("Poll", {Kind::kCrash, Kind::kUnavailable})));
  if (assigned_.empty()) {
    faults_.Wait(timeout_ms);
    return {};
  }
  const size_t want = 1 + faults_.random()() % std::min<size_t>(records_max, 40);
  for (size_t tries = 0; tries < assigned_.size() * 2 && out.size() < want; ++tries) {
    InputAssignment& input = assigned_[faults_.random()() % assigned_.size()];
    if (TroubleOf(input) != InputTrouble::kNone) continue;
    const int64_t end = broker_.StableEnd(input.partition);
    for (const MemoryRecord& record : broker_.inputs[input.partition]) {
      if (record.offset < input.next_offset) continue;
      if (record.offset >= end || out.size() >= want) break;
      // The log may grow or go away while the message is in use.
      const auto copy = std::make_shared<const MemoryRecord>(record);
      Message message;
      message.position = {input.input, record.offset};
      message.timestamp_ms = record.timestamp_ms;
      message.value = copy->value;
      message.owner = copy;
      out.push_back(std::move(message));
      input.next_offset = record.offset + 1;
    }
    if (IsAtEnd(input)) input.next_offset = end;
  }
  if (out.empty()) faults_.Wait(timeout_ms);
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
  const int64_t end = broker_.StableEnd(input.partition);
  if (input.next_offset >= end) return input.next_offset == end;
  const std::vector<MemoryRecord>& records = broker_.inputs[input.partition];
  return std::none_of(records.begin(), records.end(), [&](const MemoryRecord& record) {
    return record.offset >= input.next_offset && record.offset < end;
  });
}

std::vector<InputStatus> MemorySource::Status() {
  std::vector<InputStatus> status;
  for (const InputAssignment& input : assigned_) {
    const InputTrouble trouble = TroubleOf(input);
    const bool at_end = trouble == InputTrouble::kNone && IsAtEnd(input);
    status.push_back({input.input, input.next_offset, at_end, at_end ? 0 : 1, trouble});
  }
  return status;
}

// ---- changelog

Result<void> MemoryChangelog::Open(int64_t offset) {
  NEARDUP_TRY(AsError(faults_.Draw("Open", {})));
  next_offset_ = std::max(offset, broker_.changelog_begin);
  fetched_.clear();
  is_open_ = true;
  return {};
}

Result<void> MemoryChangelog::Poll(
    int timeout_ms, const std::function<Result<void>(const ChangelogRecord&)>& visit) {
  NEARDUP_TRY(AsError(faults_.Draw("PollChangelog", {Kind::kCrash, Kind::kUnavailable})));
  if (!is_open_) return Fatal(ErrorCode::kInternal, "the changelog is not open");
  if (fetched_.empty() &&
      (next_offset_ < broker_.changelog_begin || next_offset_ > broker_.ChangelogEnd())) {
    return Error{ErrorCode::kNotFound, "the log does not hold the offset"};
  }
  if (fetched_.empty()) Fetch();
  if (fetched_.empty()) faults_.Wait(timeout_ms);
  if (fetched_.empty()) Fetch();
  for (int n = 0; n < 3 && !fetched_.empty(); ++n) {
    const Fetched next = fetched_.front();
    if (!next.bytes.empty()) NEARDUP_TRY(visit({next.offset, next.bytes}));
    fetched_.pop_front();
    next_offset_ = next.offset + 1;
  }
  return {};
}

void MemoryChangelog::Fetch() {
  if (next_offset_ < broker_.changelog_begin) return;
  const int64_t end = reads_uncommitted ? broker_.ChangelogEnd() : broker_.ChangelogStableEnd();
  for (int64_t offset = next_offset_; offset < std::min(end, next_offset_ + read_ahead); ++offset) {
    const MemoryDelta& delta = broker_.changelog[static_cast<size_t>(offset)];
    const bool visible = reads_uncommitted || delta.kind == MemoryDelta::Kind::kCommitted;
    fetched_.push_back({offset, visible ? delta.bytes : std::string()});
  }
}

Result<int64_t> MemoryChangelog::End() {
  NEARDUP_TRY(AsError(faults_.Draw("End", {Kind::kCrash, Kind::kUnavailable})));
  if (end_unknown) return Retriable(ErrorCode::kUnavailable, "no leader");
  if (stale_end >= 0) return std::exchange(stale_end, -1);
  return broker_.ChangelogEnd();
}

Result<int64_t> MemoryChangelog::CommittedEnd() {
  NEARDUP_TRY(AsError(faults_.Draw("CommittedEnd", {Kind::kCrash, Kind::kUnavailable})));
  return broker_.ChangelogStableEnd();
}

Result<bool> MemoryChangelog::Holds(const ChangelogMark& mark) {
  NEARDUP_TRY(AsError(faults_.Draw("Holds", {Kind::kCrash, Kind::kUnavailable})));
  return broker_.Holds(mark);
}

Result<bool> MemoryChangelog::Purge(int64_t offset, const ChangelogMark& held) {
  const Kind kind = faults_.Draw("Purge", {Kind::kCrash, Kind::kUnavailable, Kind::kLostAnswer});
  const bool holds = broker_.Holds(held);
  if (holds && (kind == Kind::kNone || kind == Kind::kLostAnswer)) {
    broker_.changelog_begin =
        std::max(broker_.changelog_begin, std::min(offset, broker_.ChangelogEnd()));
  }
  NEARDUP_TRY(AsError(kind));
  return holds;
}

// ---- transaction

Result<void> MemoryTransaction::CheckLegal(std::string_view call, bool legal) {
  if (legal) return {};
  return Fatal(ErrorCode::kInternal, fmt::format("{} is not legal here", call));
}

Result<void> MemoryTransaction::Check(std::string_view call, std::initializer_list<Kind> possible) {
  NEARDUP_TRY(CheckLegal(call, usable_));
  const Kind kind = faults_.Draw(call, possible);
  if (kind != Kind::kNone && kind != Kind::kAborted) usable_ = false;
  NEARDUP_TRY(AsError(kind));
  return CheckCurrent();
}

/// Draws the outcome of a call that ends the transaction.
Kind MemoryTransaction::DrawEnd(std::string_view call, std::initializer_list<Kind> possible) {
  const Kind kind = faults_.Draw(call, possible);
  const bool again = broker_.copies_ends && kind == Kind::kNone && faults_.random()() % 4 == 0;
  return again ? Kind::kCopyLate : kind;
}

Result<void> MemoryTransaction::CheckCurrent() {
  if (broker_.IsCurrent(id_, epoch_)) return {};
  usable_ = false;
  return Error{ErrorCode::kFenced, "fenced by a newer instance"};
}

Result<void> MemoryTransaction::Fence() {
  const Kind kind = faults_.Draw("Fence", {Kind::kCrash, Kind::kUnavailable, Kind::kLostAnswer});
  usable_ = open_ = copy_late_ = false;
  refusals_.clear();
  if (kind == Kind::kNone || kind == Kind::kLostAnswer) {
    epoch_ = fences || broker_.EpochOf(id_) == 0 ? broker_.Fence(id_) : broker_.EpochOf(id_);
  }
  usable_ = kind == Kind::kNone;
  return AsError(kind);
}

Result<void> MemoryTransaction::Begin() {
  NEARDUP_TRY(CheckLegal("Begin", !open_));
  if (copy_late_) {
    usable_ = false;
    return Retriable(ErrorCode::kUnavailable, "a request may arrive late");
  }
  NEARDUP_TRY(Check("Begin", {Kind::kCrash, Kind::kFenced}));
  open_ = true;
  return {};
}

Result<void> MemoryTransaction::Publish(const RoutedRecord& record) {
  NEARDUP_TRY(CheckLegal("Publish", open_));
  NEARDUP_TRY(Check("Publish", {Kind::kCrash, Kind::kAborted, Kind::kFenced}));
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
  output.route = record.route;
  if (record.original_input != nullptr) output.original_input = *record.original_input;
  if (const Result<ParsedHeader> header = ParseRouteHeader(*record.headers); header.ok()) {
    output.replaces = header->replaces;
    output.newest = header->newest;
  }
  if (!record.by_reference) output.value = record.message.value;
  output.by_reference = record.by_reference;
  output.record_id = static_cast<const MemoryRecord*>(record.message.owner.get())->id;
  broker_.Write(id_, std::move(output));
  return {};
}

Result<void> MemoryTransaction::PublishDelta(std::string_view bytes) {
  NEARDUP_TRY(CheckLegal("PublishDelta", open_));
  NEARDUP_TRY(Check("PublishDelta", {Kind::kCrash, Kind::kAborted, Kind::kFenced}));
  broker_.WriteDelta(id_, bytes);
  return {};
}

Result<void> MemoryTransaction::PublishGroup(const GroupRecord& group) {
  NEARDUP_TRY(CheckLegal("PublishGroup", open_));
  NEARDUP_TRY(Check("PublishGroup", {Kind::kCrash, Kind::kAborted, Kind::kFenced}));
  broker_.WriteGroup(id_, group);
  return {};
}

bool MemoryTransaction::TopicIsGone(std::span<const InputProgress> inputs) const {
  return std::any_of(inputs.begin(), inputs.end(), [this](const InputProgress& input) {
    return broker_.missing_topics.contains(input.partition.topic) ||
           broker_.unknown_topics.contains(input.partition.topic);
  });
}

/// A real commit takes longer or shorter. It takes effect at its end, or at once, and then its
/// answer is on the way for long.
void MemoryTransaction::StartCommit(std::span<const InputProgress> inputs) {
  assert(!committed_);
  committing_ = inputs;
  waits_ = 1 + faults_.random()() % 3;
  if (faults_.random()() % 2 == 0) committed_ = EndCommit();
}

bool MemoryTransaction::CommitHasEnded() {
  if (waits_ == 0) return true;
  --waits_;
  return false;
}

Result<void> MemoryTransaction::FinishCommit() {
  Result<void> result = committed_ ? *std::exchange(committed_, std::nullopt) : EndCommit();
  return result;
}

Result<void> MemoryTransaction::EndCommit() {
  NEARDUP_TRY(CheckLegal("Commit", usable_ && open_));
  const Kind kind =
      DrawEnd("Commit", {Kind::kCrash, Kind::kAborted, Kind::kFenced, Kind::kUnknownHappened,
                         Kind::kUnknownLate, Kind::kUnknownLost, Kind::kCopyLate});
  if (!broker_.IsCurrent(id_, epoch_)) {
    usable_ = false;
    return Error{ErrorCode::kFenced, "fenced by a newer instance"};
  }
  if (TopicIsGone(committing_))
    return Error{ErrorCode::kAborted, "an offset's topic does not exist"};
  if (!refusals_.empty()) return Error{ErrorCode::kAborted, "a record was refused"};
  if (kind == Kind::kAborted) return AsError(kind);
  broker_.AddOffsets(id_, committing_);
  // A crash after the commit, too, is a commit whose outcome nobody heard of.
  const bool happens = kind == Kind::kNone || kind == Kind::kUnknownHappened ||
                       kind == Kind::kCopyLate ||
                       (kind == Kind::kCrash && faults_.random()() % 2 == 0);
  if (happens) broker_.EndTransaction(id_, /*commit=*/true);
  if (kind == Kind::kUnknownLate || kind == Kind::kCopyLate) {
    broker_.late_ends.push_back({id_, epoch_, /*commit=*/true});
  }
  open_ = false;
  usable_ = kind == Kind::kNone || kind == Kind::kCopyLate;
  copy_late_ = counts_commits && kind == Kind::kCopyLate;
  return AsError(kind);
}

Result<void> MemoryTransaction::Abort() {
  NEARDUP_TRY(CheckLegal("Abort", usable_));
  const Kind kind =
      DrawEnd("Abort", {Kind::kCrash, Kind::kUnavailable, Kind::kFenced, Kind::kCopyLate});
  usable_ = kind == Kind::kNone || kind == Kind::kCopyLate;
  NEARDUP_TRY(AsError(kind));
  NEARDUP_TRY(CheckCurrent());
  broker_.EndTransaction(id_, /*commit=*/false);
  if (kind == Kind::kCopyLate) broker_.late_ends.push_back({id_, epoch_, /*commit=*/false});
  open_ = false;
  copy_late_ = counts_aborts && kind == Kind::kCopyLate;
  return {};
}

void MemoryTransaction::Abandon(bool abort) {
  const Kind kind = faults_.Draw("Abandon", {Kind::kUnavailable});
  if (abort && usable_ && kind == Kind::kNone && broker_.IsCurrent(id_, epoch_)) {
    broker_.EndTransaction(id_, /*commit=*/false);
  }
  usable_ = open_ = copy_late_ = false;
}

Result<std::vector<int64_t>> MemoryTransaction::CommittedOffsets(
    std::span<const InputPartition> inputs) {
  NEARDUP_TRY(AsError(faults_.Draw("CommittedOffsets", {Kind::kCrash, Kind::kUnavailable})));
  if (!broker_.group_answers) return Retriable(ErrorCode::kUnavailable, "offsets are held back");
  std::vector<int64_t> offsets;
  for (const InputPartition& input : inputs) {
    const auto found = broker_.group_offsets.find(input);
    offsets.push_back(found == broker_.group_offsets.end() ? -1 : found->second);
  }
  return offsets;
}

}  // namespace neardup
