#include "stream/lane/open_transaction.h"

#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>

#include "detect/base/hash.h"
#include "stream/lane/route_header.h"
#include "stream/state/delta.h"

namespace neardup {
namespace {

using nlohmann::ordered_json;

ordered_json ToJson(const Position& position, std::span<const InputProgress> inputs) {
  const InputPartition& partition = inputs[position.input].partition;
  return {
      {"topic", partition.topic}, {"partition", partition.partition}, {"offset", position.offset}};
}

}  // namespace

std::string GroupText(const Group& group, std::span<const InputProgress> inputs) {
  const ordered_json json = {
      {"original", ToJson(group.original, inputs)}, {"copies", group.copies},
      {"first_time_ms", group.original_time_ms},    {"last_time_ms", group.last_time_ms},
      {"last", ToJson(group.last, inputs)},         {"newest", ToJson(group.newest, inputs)}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Result<void> OpenTransaction::BeginSince(int64_t since_ms) {
  if (is_open_) return {};
  NEARDUP_TRY(port_.Begin());
  is_open_ = true;
  begun_ms_ = since_ms;
  bytes_ = 0;
  records_ = 0;
  return {};
}

Result<void> OpenTransaction::Publish(const RoutedRecord& record, size_t bytes) {
  NEARDUP_TRY(port_.Publish(record));
  bytes_ += CountedBytes(bytes);
  ++records_;
  record_bytes_mean_ = (record_bytes_mean_ * 63 + bytes) / 64;
  Count(record, bytes);
  return {};
}

Result<void> OpenTransaction::PublishDeltas(const LaneState& state) {
  for (const Delta& delta : state.Uncommitted()) {
    const std::string bytes = Encode(delta);
    NEARDUP_TRY(port_.PublishDelta(bytes));
    counted_.delta_bytes += bytes.size();
    newest_delta_ = Hash64(bytes);
  }
  return {};
}

Result<void> OpenTransaction::PublishGroups(const LaneState& state) {
  for (const Group& group : state.ChangedGroups()) {
    const InputPartition& original = state.inputs()[group.original.input].partition;
    NEARDUP_TRY(port_.PublishGroup(
        {GroupKey(original, group.original.offset), GroupText(group, state.inputs())}));
  }
  return {};
}

CommittedBatch OpenTransaction::Close() {
  const int64_t lasted_ms = clock_.SteadyMs() - begun_ms_;
  size_.Committed(bytes_, lasted_ms);
  counted_.duration_s = static_cast<double>(lasted_ms) / 1000;
  const int64_t now_ms = clock_.WallMs();
  for (const int64_t timestamp_ms : timestamps_ms_) {
    const int64_t age_ms = timestamp_ms < 0 ? 0 : std::max<int64_t>(0, now_ms - timestamp_ms);
    counted_.latencies_s.push_back(static_cast<double>(age_ms) / 1000);
  }
  CommittedBatch committed = std::move(counted_);
  End();
  return committed;
}

void OpenTransaction::Forget() {
  if (is_open_) size_.Lost(bytes_, clock_.SteadyMs() - begun_ms_);
  End();
}

void OpenTransaction::End() {
  is_open_ = false;
  counted_ = {};
  timestamps_ms_.clear();
}

int64_t OpenTransaction::left_ms() const {
  assert(is_open_);
  if (by_records()) return INT64_MAX;
  return options_.transaction_interval_ms - (clock_.SteadyMs() - begun_ms_);
}

size_t OpenTransaction::records_that_fit() const {
  return size_.bytes_max() / std::max<size_t>(1, record_bytes_mean_);
}

void OpenTransaction::Count(const RoutedRecord& record, size_t bytes) {
  const Verdict& verdict = record.verdict;
  counted_.bytes_in += bytes;
  counted_.late += verdict.late ? 1 : 0;
  counted_.clamped += verdict.clamped ? 1 : 0;
  counted_.suspects += verdict.is_suspect() ? 1 : 0;
  if (record.route == Route::kNowhere) {
    ++counted_.dropped;
  } else if (record.route != RouteOf(verdict.decision)) {
    ++(options_.routing.mode == RoutingMode::kObserve        ? counted_.observed
       : record.joined != nullptr && record.joined->replaces ? counted_.replaced
                                                             : counted_.released);
  }
  switch (verdict.decision) {
    case Decision::kUnique:
      ++(verdict.outcome.passed ? counted_.passed : counted_.unique);
      break;
    case Decision::kDuplicate:
      ++(verdict.match.kind == MatchKind::kExact ? counted_.exact_duplicates
                                                 : counted_.near_duplicates);
      counted_.distance_sum += static_cast<uint64_t>(verdict.match.distance);
      ++counted_.distances[std::min(static_cast<size_t>(verdict.match.distance),
                                    counted_.distances.size() - 1)];
      break;
    case Decision::kDeadLetter:
      ++counted_.dead_letters[static_cast<size_t>(verdict.outcome.reason)];
      break;
  }
  timestamps_ms_.push_back(record.message.timestamp_ms);
}

}  // namespace neardup
