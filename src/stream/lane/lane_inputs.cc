#include "stream/lane/lane_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace neardup {
namespace {

// A broker that has just started, or that lags behind the others, may not know a topic that exists.
// A topic counts as missing when it is still unknown after this time.
constexpr int64_t kMissingAfterMs = 5'000;
// A leader that was just elected may show an end that lies before what was read. After this time
// the log is taken to be another one.
constexpr int64_t kBeyondEndAfterMs = 10'000;
// Time between two looks at a topic that is unknown, or at a log that does not hold the next
// offset.
constexpr int64_t kLookAgainMs = 1'000;
// How often a commit adds the offsets of inputs that have not moved.
constexpr int64_t kAddAllPeriodMs = 600'000;

std::string NameOf(const InputPartition& partition) {
  return fmt::format("{}/{}", partition.topic, partition.partition);
}

/// Since when something lasts: from now on if that is not known.
int64_t SinceOrNow(std::optional<int64_t>& since_ms, int64_t now_ms) {
  if (!since_ms) since_ms = now_ms;
  return *since_ms;
}

Error RefusedLoss(const InputProgress& input, InputLoss::Kind kind, const OffsetBounds& bounds) {
  const std::string name = NameOf(input.partition);
  const std::string found =
      kind == InputLoss::Kind::kDeleted
          ? fmt::format(
                "{0}: {1} offsets are gone: the lane was to continue at offset {2}, and the "
                "log begins at offset {3}. They were deleted before they were read, as "
                "retention does. To go on without them",
                name, bounds.begin - input.next_offset, input.next_offset, bounds.begin)
          : fmt::format(
                "{0}: the lane was to continue at offset {1}, but this is another log, with "
                "offsets {2} to {3}: the topic was deleted and created again, or its log was "
                "cut. To read it from its beginning",
                name, input.next_offset, bounds.begin, bounds.end);
  return Fatal(
      ErrorCode::kNotFound,
      fmt::format(
          "{}, set input.on_data_loss to continue, or choose the offset with "
          "`neardup reset --partition {} --to earliest|OFFSET --execute`; see docs/recovery.md",
          found, name));
}

}  // namespace

Result<void> LaneInputs::Find(LaneState& state) {
  for (const InputPartition& input : unreachable_)
    probe_.On(event::InputUnreachable{input, false, {}});
  unreachable_.clear();
  losses_.clear();
  read_.clear();
  return FindPartitions(state, state.empty());
}

Result<void> LaneInputs::Rewind(LaneState& state) {
  losses_.clear();
  // The transaction is aborted, and its offsets with it.
  for (ReadInput& read : read_) read.added_offset.reset();
  LookSoon();
  return Assign(state);
}

Result<void> LaneInputs::Assign(LaneState& state) {
  const std::vector<InputProgress>& inputs = state.inputs();
  read_.resize(inputs.size());
  for (ReadInput& read : read_) read.at_end_since_ms.reset();
  for (uint32_t input = 0; input < inputs.size(); ++input) {
    state.filter().SetIdle(input, true);  // an input that is not read does not hold the watermark
    state.filter().SetRetired(input, IsRetired(inputs[input].partition));
  }
  std::vector<InputAssignment> assignments;
  for (const uint32_t input : assigned_) {
    state.filter().SetIdle(input, false);
    assignments.push_back({input, inputs[input].partition, inputs[input].next_offset});
  }
  status_.clear();
  exhausted_ = false;
  return source_.Assign(assignments);
}

bool LaneInputs::IsRetired(const InputPartition& input) const {
  const PipelineTopics& topics = options_.pipeline.topics;
  return options_.unique_key == UniqueKey::kGroup && topics.known() &&
         !WritesUniquesOf(topics, input.topic);
}

Result<void> LaneInputs::Stop() {
  status_.clear();
  return source_.Assign({});
}

Result<void> LaneInputs::Refresh(LaneState& state) {
  NEARDUP_TRY(Repair(state));
  if (clock_.SteadyMs() < refresh_at_ms_) return {};
  const std::vector<uint32_t> before = assigned_;
  NEARDUP_TRY(FindPartitions(state, false));
  const bool stopped = std::ranges::any_of(
      status_, [](const InputStatus& row) { return row.trouble == InputTrouble::kMissing; });
  return assigned_ == before && !stopped && losses_.empty() ? Result<void>() : Assign(state);
}

bool LaneInputs::NeedsRefresh() const {
  const int64_t now_ms = clock_.SteadyMs();
  if (now_ms >= refresh_at_ms_) return true;
  if (now_ms < repair_at_ms_) return false;
  return std::ranges::any_of(status_, [](const InputStatus& row) {
    return row.trouble == InputTrouble::kMissing || row.trouble == InputTrouble::kOffsetGone;
  });
}

Result<std::vector<GroupPosition>> LaneInputs::GroupOffsets(const LaneState& state,
                                                            Transaction& transaction) {
  std::vector<InputPartition> partitions;
  for (const uint32_t input : assigned_) partitions.push_back(state.inputs()[input].partition);
  NEARDUP_ASSIGN(const std::vector<int64_t> offsets, transaction.CommittedOffsets(partitions));
  std::vector<GroupPosition> group;
  for (size_t i = 0; i < partitions.size(); ++i) {
    group.push_back({assigned_[i], offsets[i]});
    const int64_t delta = state.committed_offset(assigned_[i]);
    const bool behind = offsets[i] >= 0 && offsets[i] < delta;
    if (!state.empty() && behind) probe_.On(event::OffsetsDiffer{partitions[i], offsets[i], delta});
  }
  return group;
}

void LaneInputs::Took(const LaneState& state, const Batch& batch) {
  status_ = batch.inputs;
  exhausted_ = batch.exhausted;
  polled_.assign(state.inputs().size(), {});
  for (const Message& message : batch.messages) {
    Polled& polled = polled_[message.position.input];
    ++polled.records;
    polled.bytes += BytesOf(message);
    polled.last = &message;
  }
  for (size_t input = 0; input < polled_.size(); ++input) {
    const auto& [records, bytes, last] = polled_[input];
    if (last == nullptr) continue;
    const InputPartition& partition = state.inputs()[input].partition;
    witnesses_[partition] = {last->position.offset, ChecksumOf(*last)};
    probe_.On(event::BatchPolled{partition, records, bytes});
  }
}

void LaneInputs::Decided(const Message& message) {
  read_[message.position.input].last_timestamp_ms = message.timestamp_ms;
}

void LaneInputs::UpdateEnds(LaneState& state) {
  const int64_t now_ms = clock_.SteadyMs();
  for (const InputStatus& status : status_) {
    const uint32_t input = status.input;
    if (status.next_offset > state.inputs()[input].next_offset) {
      state.MoveInput(input, status.next_offset);
    }
    ReadInput& read = read_[input];
    if (status.at_end || status.next_offset != read.unread_start) read.unread_start.reset();
    if (status.trouble != InputTrouble::kOffsetGone) read.beyond_end_since_ms.reset();
    if (!status.at_end) read.at_end_since_ms.reset();
    const int64_t since_ms = status.at_end ? SinceOrNow(read.at_end_since_ms, now_ms) : now_ms;
    state.filter().SetIdle(input, status.at_end && now_ms - since_ms >= options_.idle_ms);
    const InputPartition& partition = state.inputs()[input].partition;
    if (status.trouble == InputTrouble::kUnreachable) {
      SetUnreachable(partition, true, status.trouble_text);
    }
    if (status.trouble == InputTrouble::kNone) SetUnreachable(partition, false);
  }
}

void LaneInputs::SetUnreachable(const InputPartition& partition, bool unreachable,
                                std::string_view why) {
  const bool changed =
      unreachable ? unreachable_.insert(partition).second : unreachable_.erase(partition) > 0;
  if (changed) probe_.On(event::InputUnreachable{partition, unreachable, why});
}

void LaneInputs::ReportLag(const LaneState& state) {
  const int64_t wall_ms = clock_.WallMs();
  for (const InputStatus& status : status_) {
    const std::optional<int64_t> last_ms = read_[status.input].last_timestamp_ms;
    const bool behind = status.lag_records > 0 && last_ms.value_or(-1) >= 0;
    const auto lag_s = behind ? static_cast<double>(wall_ms - *last_ms) / 1000 : 0.0;
    const InputProgress& input = state.inputs()[status.input];
    probe_.On(event::InputLag{input.partition, status.lag_records, lag_s});
    probe_.On(event::InputPosition{input.partition, input.next_offset});
  }
}

int64_t LaneInputs::lag_records() const {
  return std::accumulate(status_.begin(), status_.end(), int64_t{0},
                         [](int64_t sum, const InputStatus& row) { return sum + row.lag_records; });
}

bool LaneInputs::IsMissing(uint32_t input) const {
  return std::ranges::any_of(status_, [input](const InputStatus& row) {
    return row.input == input && row.trouble == InputTrouble::kMissing;
  });
}

std::span<const InputProgress> LaneInputs::Progress(const LaneState& state) {
  progress_.clear();
  const int64_t now_ms = clock_.SteadyMs();
  const bool all = now_ms >= add_all_at_ms_;
  if (all) add_all_at_ms_ = now_ms + kAddAllPeriodMs;
  for (const uint32_t input : assigned_) {
    const InputProgress& progress = state.inputs()[input];
    std::optional<int64_t>& added = read_[input].added_offset;
    if ((all || progress.next_offset != added) && !IsMissing(input)) {
      progress_.push_back(progress);
      added = progress.next_offset;
    }
  }
  return progress_;
}

void LaneInputs::Committed() {
  for (const InputLoss& loss : losses_) probe_.On(event::InputLost{loss});
  losses_.clear();
}

// ---- which partitions there are

Result<void> LaneInputs::FindPartitions(LaneState& state, bool first_start) {
  looked_at_ms_ = clock_.SteadyMs();
  refresh_at_ms_ = looked_at_ms_ + options_.partitions_refresh_ms;
  NEARDUP_ASSIGN(const FoundInputs found, source_.Find());
  NEARDUP_TRY(NoteMissing(state, found));
  std::set<std::string> known_topics;
  for (const InputProgress& input : state.inputs()) known_topics.insert(input.partition.topic);
  assigned_.clear();
  for (const InputPartition& partition : found.partitions) {
    std::optional<uint32_t> input = state.FindInput(partition);
    if (!input || first_start) {
      // A known topic has grown: all records of its new partition are new.
      const bool grown = !first_start && known_topics.contains(partition.topic);
      if (grown && options_.pipeline.topics.lanes > 1) NEARDUP_TRY(Grew(partition));
      const StartAt at = grown ? StartAt::kEarliest : options_.start_at;
      NEARDUP_ASSIGN(const int64_t offset, source_.StartOffset(partition, at));
      NEARDUP_ASSIGN(input, state.AddInput(partition, offset));
      // A promotion that failed may have added it before, when the log began elsewhere.
      if (first_start) state.BeginInput(*input, offset);
      read_.resize(state.inputs().size());
      if (at == StartAt::kEarliest) read_[*input].unread_start = offset;
    } else if (back_.contains(partition.topic)) {
      NEARDUP_ASSIGN(const OffsetBounds bounds, source_.Bounds(partition));
      NEARDUP_ASSIGN(const bool same, IsSameLog(state.inputs()[*input], bounds));
      if (!same) NEARDUP_TRY(Accept(state, *input, InputLoss::Kind::kReplaced, bounds));
    }
    assigned_.push_back(*input);
  }
  back_.clear();
  return {};
}

Result<bool> LaneInputs::IsSameLog(const InputProgress& input, const OffsetBounds& bounds) {
  if (input.next_offset > bounds.end) return false;
  const auto witness = witnesses_.find(input.partition);
  if (witness == witnesses_.end()) return true;
  const auto& [offset, checksum] = witness->second;
  // A new log begins at offset 0. An old one may have lost the record to retention.
  if (offset < bounds.begin) return true;
  NEARDUP_ASSIGN(const std::optional<uint64_t> found, source_.ChecksumAt(input.partition, offset));
  return found == checksum;
}

Result<void> LaneInputs::Grew(const InputPartition& partition) {
  if (options_.on_partition_growth == OnLoss::kFail) {
    return Retriable(
        ErrorCode::kUnavailable,
        fmt::format("topic {} has a new partition, {}: producers now send some keys to other "
                    "partitions, and so to other lanes, where the originals of their records are "
                    "not remembered. The lane waits. To go on, set lanes.on_partition_growth to "
                    "continue in all lanes, or change the number of lanes; see docs/lanes.md",
                    partition.topic, partition.partition));
  }
  probe_.On(event::PartitionAdded{partition});
  return {};
}

Result<void> LaneInputs::NoteMissing(const LaneState& state, const FoundInputs& found) {
  std::set<std::string> known_topics;
  for (const InputProgress& input : state.inputs()) known_topics.insert(input.partition.topic);
  for (const std::string& topic : found.missing_topics) {
    NEARDUP_TRY(NoteMissing(topic, known_topics.contains(topic)));
  }
  for (auto each = missing_.begin(); each != missing_.end();) {
    const auto& [topic, missing] = *each;
    if (std::ranges::find(found.missing_topics, topic) != found.missing_topics.end()) {
      ++each;
      continue;
    }
    if (missing.confirmed) {
      probe_.On(event::InputMissing{topic, false});
      back_.insert(topic);
    }
    each = missing_.erase(each);
  }
  return {};
}

Result<void> LaneInputs::NoteMissing(const std::string& topic, bool known) {
  const int64_t now_ms = clock_.SteadyMs();
  MissingTopic& missing = missing_.try_emplace(topic, MissingTopic{now_ms}).first->second;
  const bool certain = now_ms - missing.since_ms >= kMissingAfterMs;
  if (!known) {
    std::string text = fmt::format(
        "topic {} does not exist, and this app has never read it; create it, or correct its name "
        "in input.topics",
        topic);
    return certain ? Fatal(ErrorCode::kNotFound, std::move(text))
                   : Retriable(ErrorCode::kNotFound, std::move(text));
  }
  if (!certain) {
    refresh_at_ms_ = now_ms + kLookAgainMs;
    return {};
  }
  if (missing.confirmed) return {};
  if (options_.on_missing_topic == OnLoss::kFail) {
    return Fatal(ErrorCode::kNotFound,
                 fmt::format("input topic {} does not exist any more; create it again, take it out "
                             "of input.topics, or set input.on_missing_topic to continue",
                             topic));
  }
  missing.confirmed = true;
  probe_.On(event::InputMissing{topic, true});
  return {};
}

void LaneInputs::LookSoon() {
  refresh_at_ms_ = std::min(refresh_at_ms_, looked_at_ms_ + kLookAgainMs);
}

// ---- offsets that are gone

Result<void> LaneInputs::Repair(LaneState& state) {
  if (clock_.SteadyMs() < repair_at_ms_) return {};
  bool moved = false;
  for (const InputStatus& status : status_) {
    if (status.trouble == InputTrouble::kMissing) LookSoon();
    if (status.trouble != InputTrouble::kOffsetGone) continue;
    repair_at_ms_ = clock_.SteadyMs() + kLookAgainMs;
    NEARDUP_ASSIGN(const bool input_moved, FindPlace(state, status.input));
    moved = moved || input_moved;
  }
  return moved ? Assign(state) : Result<void>();
}

Result<bool> LaneInputs::FindPlace(LaneState& state, uint32_t input) {
  const InputProgress& progress = state.inputs()[input];
  const Result<OffsetBounds> bounds = source_.Bounds(progress.partition);
  if (!bounds.ok() && bounds.error().code == ErrorCode::kNotFound) {
    LookSoon();
    return false;
  }
  if (!bounds.ok() && bounds.error().retriable) {
    // The question may have waited for long, and the other inputs with it.
    repair_at_ms_ = clock_.SteadyMs() + options_.partitions_refresh_ms;
    SetUnreachable(progress.partition, true);
    return false;
  }
  if (!bounds.ok()) return bounds.error();
  ReadInput& read = read_[input];
  if (progress.next_offset < bounds->begin) {
    const bool unread = progress.next_offset == read.unread_start;
    NEARDUP_TRY(Accept(
        state, input, unread ? InputLoss::Kind::kUnreadStart : InputLoss::Kind::kDeleted, *bounds));
    if (unread) read.unread_start = bounds->begin;
  } else if (progress.next_offset > bounds->end) {
    const int64_t now_ms = clock_.SteadyMs();
    if (now_ms - SinceOrNow(read.beyond_end_since_ms, now_ms) < kBeyondEndAfterMs) return false;
    NEARDUP_TRY(Accept(state, input, InputLoss::Kind::kReplaced, *bounds));
  }
  read.beyond_end_since_ms.reset();
  return true;
}

Result<void> LaneInputs::Accept(LaneState& state, uint32_t input, InputLoss::Kind kind,
                                const OffsetBounds& bounds) {
  const InputProgress& progress = state.inputs()[input];
  if (progress.next_offset == bounds.begin) return {};
  if (options_.on_data_loss == OnLoss::kFail && kind != InputLoss::Kind::kUnreadStart) {
    return RefusedLoss(progress, kind, bounds);
  }
  losses_.push_back({progress.partition, kind, progress.next_offset, bounds.begin});
  state.MoveInput(input, bounds.begin);
  return {};
}

}  // namespace neardup
