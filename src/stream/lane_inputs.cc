#include "stream/lane_inputs.h"

#include <algorithm>
#include <optional>
#include <string>

namespace neardup {

Result<void> LaneInputs::Rewind(LaneState& state) {
  const std::vector<InputProgress>& inputs = state.inputs();
  at_end_since_ms_.assign(inputs.size(), -1);
  last_timestamp_ms_.resize(inputs.size(), -1);
  for (uint32_t input = 0; input < inputs.size(); ++input) {
    state.filter().SetIdle(input, true);  // an input that is not read does not hold the watermark
  }
  std::vector<InputAssignment> assignments;
  for (const uint32_t input : assigned_) {
    state.filter().SetIdle(input, false);
    assignments.push_back({input, inputs[input].partition, inputs[input].next_offset});
  }
  return source_.Assign(assignments);
}

Result<void> LaneInputs::Refresh(LaneState& state) {
  const int64_t now_ms = clock_.SteadyMs();
  if (now_ms < refresh_at_ms_) return {};
  const bool first = refresh_at_ms_ == 0;
  refresh_at_ms_ = now_ms + options_.partitions_refresh_ms;
  if (first) return {};  // Start has just looked
  const size_t before = assigned_.size();
  NEARDUP_TRY(FindPartitions(state, false));
  return assigned_.size() == before ? Result<void>() : Rewind(state);
}

Result<std::vector<GroupPosition>> LaneInputs::GroupOffsets(const LaneState& state,
                                                            Transaction& transaction) {
  std::vector<InputPartition> partitions;
  for (const uint32_t input : assigned_) partitions.push_back(state.inputs()[input].partition);
  NEARDUP_ASSIGN(const std::vector<int64_t> offsets, transaction.CommittedOffsets(partitions));
  std::vector<GroupPosition> group;
  for (size_t i = 0; i < partitions.size(); ++i) {
    group.push_back({assigned_[i], offsets[i]});
    const int64_t delta = state.inputs()[assigned_[i]].next_offset;
    const bool behind = offsets[i] >= 0 && offsets[i] < delta;
    if (!state.empty() && behind) probe_.OffsetsDiffer(partitions[i], offsets[i], delta);
  }
  return group;
}

Result<void> LaneInputs::Poll(const LaneState& state, size_t records_max, int timeout_ms,
                              std::vector<Message>& batch) {
  NEARDUP_TRY(source_.Poll(records_max, timeout_ms, batch));
  ReportPolled(state, batch);
  return {};
}

void LaneInputs::Decided(const Message& message) {
  last_timestamp_ms_[message.position.input] = message.timestamp_ms;
}

void LaneInputs::UpdateEnds(LaneState& state) {
  const int64_t now_ms = clock_.SteadyMs();
  for (const InputStatus& status : source_.Status()) {
    if (status.next_offset > state.inputs()[status.input].next_offset) {
      state.MoveInput(status.input, status.next_offset);
    }
    int64_t& since_ms = at_end_since_ms_[status.input];
    if (!status.at_end) {
      since_ms = -1;
    } else if (since_ms < 0) {
      since_ms = now_ms;
    }
    state.filter().SetIdle(status.input, since_ms >= 0 && now_ms - since_ms >= options_.idle_ms);
  }
}

void LaneInputs::ReportLag(const LaneState& state) {
  const int64_t wall_ms = clock_.WallMs();
  for (const InputStatus& status : source_.Status()) {
    const int64_t last_ms = last_timestamp_ms_[status.input];
    const bool behind = status.lag_records > 0 && last_ms >= 0;
    const auto lag_s = behind ? static_cast<double>(wall_ms - last_ms) / 1000 : 0.0;
    probe_.InputLag(state.inputs()[status.input].partition, status.lag_records, lag_s);
  }
}

Result<void> LaneInputs::FindPartitions(LaneState& state, bool first_start) {
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source_.Partitions());
  std::vector<std::string> known_topics;
  for (const InputProgress& input : state.inputs()) known_topics.push_back(input.partition.topic);
  assigned_.clear();
  for (const InputPartition& partition : partitions) {
    std::optional<uint32_t> input = state.FindInput(partition);
    if (!input) {
      // A known topic has grown: all records of its new partition are new.
      const bool grown = !first_start && std::find(known_topics.begin(), known_topics.end(),
                                                   partition.topic) != known_topics.end();
      const StartAt at = grown ? StartAt::kEarliest : options_.start_at;
      NEARDUP_ASSIGN(const int64_t offset, source_.StartOffset(partition, at));
      NEARDUP_ASSIGN(input, state.AddInput(partition, offset));
    }
    assigned_.push_back(*input);
  }
  return {};
}

void LaneInputs::ReportPolled(const LaneState& state, std::span<const Message> batch) {
  polled_.assign(state.inputs().size(), {});
  for (const Message& message : batch) {
    auto& [records, bytes] = polled_[message.position.input];
    ++records;
    bytes += BytesOf(message);
  }
  for (size_t input = 0; input < polled_.size(); ++input) {
    const auto& [records, bytes] = polled_[input];
    if (records > 0) probe_.BatchPolled(state.inputs()[input].partition, records, bytes);
  }
}

}  // namespace neardup
