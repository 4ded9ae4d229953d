#include "service/metrics/prometheus_probe.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace neardup {
namespace {

double Number(uint64_t count) { return static_cast<double>(count); }

/// NaN for a time that is not known.
double Seconds(int64_t ms) {
  return ms == INT64_MIN ? std::numeric_limits<double>::quiet_NaN()
                         : static_cast<double>(ms) / 1000;
}

}  // namespace

PrometheusProbe::PrometheusProbe(const BuildInfo& build, const Clock& clock) : clock_(clock) {
  metrics_.Set("neardup_build_info", 1,
               {build.version, build.revision, build.compiler, build.librdkafka_version});
  Saw(event::PhaseChanged{LanePhase::kStarting});
}

void PrometheusProbe::Saw(const event::PhaseChanged& seen) {
  phase_ = seen.phase;
  for (int i = 0; i < kLanePhaseCount; ++i) {
    const auto each = static_cast<LanePhase>(i);
    metrics_.Set("neardup_state", each == seen.phase ? 1 : 0, {Name(each)});
  }
  // A lane that was lost to an error keeps its lag, which grows. The next owner reports its own.
  const bool owner_ends = seen.phase == LanePhase::kDraining || seen.phase == LanePhase::kFailed;
  if (seen.phase == LanePhase::kActive || owner_ends) ForgetLag();
}

void PrometheusProbe::ForgetLag() {
  const std::lock_guard lock(lag_mutex_);
  lag_.clear();
}

/// Another instance has the lane.
void PrometheusProbe::Saw(const event::Followed&) { ForgetLag(); }

/// An empty changelog is never read, so that no share of it is ever restored.
void PrometheusProbe::Saw(const event::CaughtUp& seen) { Saw(event::Restoring{1, seen.entries}); }

void PrometheusProbe::Saw(const event::BatchPolled& seen) {
  metrics_.Count("neardup_records_consumed_total", Number(seen.records), {seen.input.topic});
  metrics_.Count("neardup_consumed_bytes_total", Number(seen.bytes), {seen.input.topic});
  polled_records_ += seen.records;
}

void PrometheusProbe::Saw(const event::StageTimed& seen) {
  const std::string_view name = metric_rows::kStages[static_cast<size_t>(seen.stage)];
  metrics_.Observe("neardup_batch_duration_seconds", seen.seconds, {name});
  if (seen.stage == Stage::kFingerprint) {
    metrics_.Observe("neardup_batch_records", Number(std::exchange(polled_records_, 0)));
  }
}

void PrometheusProbe::Saw(const event::TransactionCommitted& seen) {
  const CommittedBatch& batch = seen.batch;
  metrics_.Count("neardup_records_total", Number(batch.unique), {"unique"});
  metrics_.Count("neardup_records_total", Number(batch.near_duplicates), {"near_duplicate"});
  metrics_.Count("neardup_records_total", Number(batch.exact_duplicates), {"exact_duplicate"});
  metrics_.Count("neardup_records_total", Number(batch.passed), {"passthrough"});
  metrics_.Count("neardup_records_total", Number(batch.dead()), {"dead_letter"});
  for (size_t i = 1; i < batch.dead_letters.size(); ++i) {
    metrics_.Count("neardup_dead_letter_records_total", Number(batch.dead_letters[i]),
                   {Name(static_cast<Reason>(i))});
  }
  metrics_.Count("neardup_late_records_total", Number(batch.late));
  metrics_.Count("neardup_clamped_records_total", Number(batch.clamped));
  metrics_.Count("neardup_suspect_records_total", Number(batch.suspects));
  metrics_.Count("neardup_dropped_records_total", Number(batch.dropped));
  metrics_.Count("neardup_replaced_records_total", Number(batch.replaced));
  metrics_.Count("neardup_released_records_total", Number(batch.released));
  metrics_.Count("neardup_observed_records_total", Number(batch.observed));
  metrics_.ObserveAll("neardup_end_to_end_latency_seconds", batch.latencies_s);

  // Bucket i counts distance i; the last one, +Inf, counts all beyond.
  metrics_.ObserveCounts("neardup_match_hamming_distance",
                         {batch.distances.begin(), batch.distances.end()},
                         Number(batch.distance_sum));

  metrics_.Count("neardup_changelog_bytes_total", Number(batch.delta_bytes));
  metrics_.Count("neardup_transactions_total", 1, {"committed"});
  metrics_.Observe("neardup_transaction_duration_seconds", batch.duration_s);
}

void PrometheusProbe::Saw(const event::TransactionSized& seen) {
  metrics_.Set("neardup_transaction_bytes_max", Number(seen.bytes_max));
}

void PrometheusProbe::Saw(const event::LaneLost& seen) {
  metrics_.Count("neardup_lane_losses_total", 1, {Name(seen.error.code)});
  if (seen.error.code == ErrorCode::kFenced) {
    ForgetLag();
    metrics_.Count("neardup_transactions_total", 1, {"fenced"});
  }
}

void PrometheusProbe::Saw(const event::Promoted& seen) {
  metrics_.Count("neardup_promotions_total");
  metrics_.Set("neardup_restore_progress_ratio", 1);
  metrics_.Set("neardup_restored_entries", Number(seen.entries));
  metrics_.Set("neardup_restore_duration_seconds", seen.seconds);
}

void PrometheusProbe::Saw(const event::InputLost& seen) {
  const InputLoss& loss = seen.loss;
  metrics_.Count("neardup_input_losses_total", 1, {Name(loss.kind)});
  if (loss.to <= loss.from) return;
  metrics_.Count("neardup_input_offsets_lost_total", static_cast<double>(loss.to - loss.from),
                 {loss.partition.topic});
}

void PrometheusProbe::Saw(const event::InputUnreachable& seen) {
  if (seen.unreachable) {
    unreachable_.insert(seen.input);
  } else {
    unreachable_.erase(seen.input);
  }
  metrics_.Set("neardup_inputs_unreachable", static_cast<double>(unreachable_.size()));
}

void PrometheusProbe::Saw(const event::Gauges& seen) {
  const LaneGauges& gauges = seen.gauges;
  metrics_.Set("neardup_index_entries", Number(gauges.entries));
  metrics_.Set("neardup_entries_missing", Number(gauges.entries_missing));
  metrics_.Set("neardup_groups", Number(gauges.groups));
  metrics_.Set("neardup_index_capacity_entries", Number(gauges.entries_max));
  metrics_.Set("neardup_index_bytes", Number(gauges.index_bytes));
  metrics_.Set("neardup_index_oldest_entry_timestamp_seconds", Seconds(gauges.oldest_time_ms));
  metrics_.Set("neardup_watermark_timestamp_seconds", Seconds(gauges.watermark_ms));
  metrics_.Set("neardup_changelog_next_offset", static_cast<double>(gauges.changelog_offset));
  metrics_.Set("neardup_standby_lag_records", static_cast<double>(gauges.changelog_lag));
  const double candidates = candidates_.Since(gauges.candidates);
  const double refused = keys_refused_.Since(gauges.keys_refused);
  const double expired = expired_.Since(gauges.entries_expired);
  const double evicted = evicted_.Since(gauges.entries_evicted);
  // A standby repeats what the active instance does. Counted by both, it would count twice.
  if (phase_ != LanePhase::kActive) return;
  metrics_.Count("neardup_lookup_candidates_total", candidates);
  metrics_.Count("neardup_index_keys_refused_total", refused);
  metrics_.Count("neardup_index_evictions_total", expired, {"time"});
  metrics_.Count("neardup_index_evictions_total", evicted, {"capacity"});
  // This event comes with every round of an active lane, also when the inputs are silent.
  metrics_.Set("neardup_last_poll_timestamp_seconds", Seconds(clock_.WallMs()));
}

void PrometheusProbe::Saw(const event::InputLag& seen) {
  const std::lock_guard lock(lag_mutex_);
  lag_[seen.input] = {seen.records, seen.seconds, clock_.SteadyMs()};
}

/// While no new report comes, a record that waits grows older. The caller holds lag_mutex_.
void PrometheusProbe::SetLag() {
  metrics_.Forget("neardup_consumer_lag_records");
  metrics_.Forget("neardup_consumer_lag_seconds");
  metrics_.Set("neardup_assigned_partitions", Number(lag_.size()));
  std::map<std::string_view, double> topic_seconds;
  for (const auto& [input, lag] : lag_) {
    metrics_.Set("neardup_consumer_lag_records", static_cast<double>(lag.records),
                 {input.topic, std::to_string(input.partition)});
    const auto silent_s = static_cast<double>(clock_.SteadyMs() - lag.reported_ms) / 1000;
    double& seconds = topic_seconds[input.topic];
    if (lag.records > 0) seconds = std::max(seconds, lag.seconds + silent_s);
  }
  for (const auto& [topic, seconds] : topic_seconds) {
    metrics_.Set("neardup_consumer_lag_seconds", seconds, {topic});
  }
}

void PrometheusProbe::Saw(const event::SnapshotWritten& seen) {
  const WrittenSnapshot& snapshot = seen.snapshot;
  metrics_.Count("neardup_snapshots_written_total");
  metrics_.Set("neardup_snapshot_timestamp_seconds", Seconds(clock_.WallMs()));
  metrics_.Set("neardup_snapshot_duration_seconds", snapshot.seconds);
  metrics_.Set("neardup_snapshot_entries", Number(snapshot.entries));
  metrics_.Set("neardup_snapshot_bytes", Number(snapshot.bytes));
}

void PrometheusProbe::SetLane(int32_t lane, int32_t lanes) {
  metrics_.Set("neardup_lane_info", 1, {std::to_string(lane), std::to_string(lanes)});
}

void PrometheusProbe::SetMemoryBound(uint64_t total, const MemoryParts& parts) {
  metrics_.Set("neardup_memory_bound_bytes", Number(total));
  for (const auto& [part, bytes] : parts) {
    metrics_.Set("neardup_memory_part_bound_bytes", Number(bytes), {part});
  }
}

void PrometheusProbe::KafkaComplained(bool is_error) {
  metrics_.Count("neardup_kafka_complaints_total", 1, {is_error ? "error" : "warning"});
}

void PrometheusProbe::SetSecretsRefused(bool refused) {
  metrics_.Set("neardup_secrets_refused", refused ? 1 : 0);
}

void PrometheusProbe::SetDrift(const DriftRatios& ratios, bool detected) {
  for (const auto& [aspect, ratio] : ratios) {
    metrics_.Set("neardup_drift_ratio", ratio, {aspect});
  }
  metrics_.Set("neardup_drift_detected", detected ? 1 : 0);
}

std::string PrometheusProbe::Text() {
  const std::lock_guard lock(lag_mutex_);  // no other scrape may see half of the lag
  SetLag();
  std::vector<prometheus::MetricFamily> families = metrics_.Collect();
  std::vector<prometheus::MetricFamily> process = ProcessMetrics();
  std::move(process.begin(), process.end(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace neardup
