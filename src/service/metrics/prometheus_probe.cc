#include "service/metrics/prometheus_probe.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "service/metrics/metric_set.h"

namespace neardup {
namespace {

double Number(uint64_t count) { return static_cast<double>(count); }

/// NaN for a time that is not known.
double Seconds(int64_t ms) {
  return ms == INT64_MIN ? std::numeric_limits<double>::quiet_NaN()
                         : static_cast<double>(ms) / 1000;
}

/// Turns a total that starts at 0 again with every new index into increments of a counter.
class Growth {
 public:
  double Since(uint64_t total) {
    const uint64_t grown = total >= total_ ? total - total_ : total;
    total_ = total;
    return Number(grown);
  }

 private:
  uint64_t total_ = 0;
};

}  // namespace

struct PrometheusProbe::Lag {
  int64_t records = 0;
  double seconds = 0;
  int64_t reported_ms = 0;
};

/// Everything except `metrics` and the lag belongs to the lane's thread.
struct PrometheusProbe::State {
  MetricSet metrics;
  std::mutex lag_mutex;
  /// Guarded by lag_mutex, like the metrics of the lag.
  std::map<InputPartition, Lag> lag;
  uint64_t polled_records = 0;  ///< in the batch that is being decided
  LanePhase phase = LanePhase::kStarting;
  Growth candidates;
  Growth keys_refused;
  Growth expired;
  Growth evicted;
};

PrometheusProbe::PrometheusProbe(const BuildInfo& build, const Clock& clock)
    : state_(std::make_unique<State>()), clock_(clock) {
  state_->metrics.Set("neardup_build_info", 1,
                      {build.version, build.revision, build.compiler, build.librdkafka_version});
  Saw(event::PhaseChanged{LanePhase::kStarting});
}

PrometheusProbe::~PrometheusProbe() = default;

void PrometheusProbe::Saw(const event::PhaseChanged& seen) {
  state_->phase = seen.phase;
  for (int i = 0; i < kLanePhaseCount; ++i) {
    const auto each = static_cast<LanePhase>(i);
    state_->metrics.Set("neardup_state", each == seen.phase ? 1 : 0, {Name(each)});
  }
  // A lane that was lost to an error keeps its lag, which grows. The next owner reports its own.
  const bool owner_ends = seen.phase == LanePhase::kDraining || seen.phase == LanePhase::kFailed;
  if (seen.phase == LanePhase::kActive || owner_ends) ForgetLag();
}

void PrometheusProbe::ForgetLag() {
  const std::lock_guard lock(state_->lag_mutex);
  state_->lag.clear();
}

/// Another instance has the lane.
void PrometheusProbe::Saw(const event::Followed&) { ForgetLag(); }

void PrometheusProbe::Saw(const event::Restoring& seen) {
  state_->metrics.Set("neardup_restore_progress_ratio", seen.share);
}

/// An empty changelog is never read, so that no share of it is ever restored.
void PrometheusProbe::Saw(const event::CaughtUp& seen) { Saw(event::Restoring{1, seen.entries}); }

void PrometheusProbe::Saw(const event::StateDiscarded&) {
  state_->metrics.Count("neardup_state_discarded_total");
}

void PrometheusProbe::Saw(const event::BatchPolled& seen) {
  state_->metrics.Count("neardup_records_consumed_total", Number(seen.records), {seen.input.topic});
  state_->metrics.Count("neardup_consumed_bytes_total", Number(seen.bytes), {seen.input.topic});
  state_->polled_records += seen.records;
}

void PrometheusProbe::Saw(const event::StageTimed& seen) {
  const std::string_view name = metric_rows::kStages[static_cast<size_t>(seen.stage)];
  state_->metrics.Observe("neardup_batch_duration_seconds", seen.seconds, {name});
  if (seen.stage == Stage::kFingerprint) {
    state_->metrics.Observe("neardup_batch_records",
                            Number(std::exchange(state_->polled_records, 0)));
  }
}

void PrometheusProbe::Saw(const event::TransactionCommitted& seen) {
  const CommittedBatch& batch = seen.batch;
  MetricSet& metrics = state_->metrics;
  metrics.Count("neardup_records_total", Number(batch.unique), {"unique"});
  metrics.Count("neardup_records_total", Number(batch.near_duplicates), {"near_duplicate"});
  metrics.Count("neardup_records_total", Number(batch.exact_duplicates), {"exact_duplicate"});
  metrics.Count("neardup_records_total", Number(batch.passed), {"passthrough"});
  metrics.Count("neardup_records_total", Number(batch.dead()), {"dead_letter"});
  for (size_t i = 1; i < batch.dead_letters.size(); ++i) {
    metrics.Count("neardup_dead_letter_records_total", Number(batch.dead_letters[i]),
                  {Name(static_cast<Reason>(i))});
  }
  metrics.Count("neardup_late_records_total", Number(batch.late));
  metrics.Count("neardup_clamped_records_total", Number(batch.clamped));
  metrics.Count("neardup_suspect_records_total", Number(batch.suspects));
  metrics.Count("neardup_dropped_records_total", Number(batch.dropped));
  metrics.Count("neardup_replaced_records_total", Number(batch.replaced));
  metrics.Count("neardup_released_records_total", Number(batch.released));
  metrics.Count("neardup_observed_records_total", Number(batch.observed));
  metrics.ObserveAll("neardup_end_to_end_latency_seconds", batch.latencies_s);

  // Bucket i counts distance i; the last one, +Inf, counts all beyond.
  metrics.ObserveCounts("neardup_match_hamming_distance",
                        {batch.distances.begin(), batch.distances.end()},
                        Number(batch.distance_sum));

  metrics.Count("neardup_changelog_bytes_total", Number(batch.delta_bytes));
  metrics.Count("neardup_transactions_total", 1, {"committed"});
  metrics.Observe("neardup_transaction_duration_seconds", batch.duration_s);
}

void PrometheusProbe::Saw(const event::TransactionAborted&) {
  state_->metrics.Count("neardup_transactions_total", 1, {"aborted"});
}

void PrometheusProbe::Saw(const event::TransactionSized& seen) {
  state_->metrics.Set("neardup_transaction_bytes_max", Number(seen.bytes_max));
}

void PrometheusProbe::Saw(const event::LaneLost& seen) {
  state_->metrics.Count("neardup_lane_losses_total", 1, {Name(seen.error.code)});
  if (seen.error.code == ErrorCode::kFenced) {
    ForgetLag();
    state_->metrics.Count("neardup_transactions_total", 1, {"fenced"});
  }
}

void PrometheusProbe::Saw(const event::LateRequestFenced&) {
  state_->metrics.Count("neardup_late_requests_fenced_total");
}

void PrometheusProbe::Saw(const event::TakesOver&) {
  state_->metrics.Count("neardup_takeovers_total");
}

void PrometheusProbe::Saw(const event::TookOverWrongly&) {
  state_->metrics.Count("neardup_takeovers_wrong_total");
}

void PrometheusProbe::Saw(const event::LeaseLeft&) {
  state_->metrics.Count("neardup_leases_left_total");
}

void PrometheusProbe::Saw(const event::Promoted& seen) {
  state_->metrics.Count("neardup_promotions_total");
  state_->metrics.Set("neardup_restore_progress_ratio", 1);
  state_->metrics.Set("neardup_restored_entries", Number(seen.entries));
  state_->metrics.Set("neardup_restore_duration_seconds", seen.seconds);
}

void PrometheusProbe::Saw(const event::ChangelogLost&) {
  state_->metrics.Count("neardup_changelog_losses_total");
}

void PrometheusProbe::Saw(const event::OffsetsDiffer&) {
  state_->metrics.Count("neardup_group_offset_mismatches_total");
}

void PrometheusProbe::Saw(const event::InputLost& seen) {
  const InputLoss& loss = seen.loss;
  state_->metrics.Count("neardup_input_losses_total", 1, {Name(loss.kind)});
  if (loss.to <= loss.from) return;
  state_->metrics.Count("neardup_input_offsets_lost_total",
                        static_cast<double>(loss.to - loss.from), {loss.partition.topic});
}

void PrometheusProbe::Saw(const event::InputMissing& seen) {
  state_->metrics.Set("neardup_input_missing", seen.missing ? 1 : 0, {seen.topic});
}

void PrometheusProbe::Saw(const event::PartitionAdded&) {
  state_->metrics.Count("neardup_lane_partitions_added_total", 1);
}

void PrometheusProbe::Saw(const event::InputUnreachable& seen) {
  if (seen.unreachable) {
    unreachable_.insert(seen.input);
  } else {
    unreachable_.erase(seen.input);
  }
  state_->metrics.Set("neardup_inputs_unreachable", static_cast<double>(unreachable_.size()));
}

void PrometheusProbe::Saw(const event::Gauges& seen) {
  const LaneGauges& gauges = seen.gauges;
  MetricSet& metrics = state_->metrics;
  metrics.Set("neardup_index_entries", Number(gauges.entries));
  metrics.Set("neardup_entries_missing", Number(gauges.entries_missing));
  metrics.Set("neardup_groups", Number(gauges.groups));
  metrics.Set("neardup_index_capacity_entries", Number(gauges.entries_max));
  metrics.Set("neardup_index_bytes", Number(gauges.index_bytes));
  metrics.Set("neardup_index_oldest_entry_timestamp_seconds", Seconds(gauges.oldest_time_ms));
  metrics.Set("neardup_watermark_timestamp_seconds", Seconds(gauges.watermark_ms));
  metrics.Set("neardup_changelog_next_offset", static_cast<double>(gauges.changelog_offset));
  metrics.Set("neardup_standby_lag_records", static_cast<double>(gauges.changelog_lag));
  const double candidates = state_->candidates.Since(gauges.candidates);
  const double refused = state_->keys_refused.Since(gauges.keys_refused);
  const double expired = state_->expired.Since(gauges.entries_expired);
  const double evicted = state_->evicted.Since(gauges.entries_evicted);
  // A standby repeats what the active instance does. Counted by both, it would count twice.
  if (state_->phase != LanePhase::kActive) return;
  metrics.Count("neardup_lookup_candidates_total", candidates);
  metrics.Count("neardup_index_keys_refused_total", refused);
  metrics.Count("neardup_index_evictions_total", expired, {"time"});
  metrics.Count("neardup_index_evictions_total", evicted, {"capacity"});
  // This event comes with every round of an active lane, also when the inputs are silent.
  metrics.Set("neardup_last_poll_timestamp_seconds", Seconds(clock_.WallMs()));
}

void PrometheusProbe::Saw(const event::InputLag& seen) {
  const std::lock_guard lock(state_->lag_mutex);
  state_->lag[seen.input] = {seen.records, seen.seconds, clock_.SteadyMs()};
}

/// While no new report comes, a record that waits grows older. The caller holds lag_mutex.
void PrometheusProbe::SetLag() const {
  MetricSet& metrics = state_->metrics;
  metrics.Forget("neardup_consumer_lag_records");
  metrics.Forget("neardup_consumer_lag_seconds");
  metrics.Set("neardup_assigned_partitions", Number(state_->lag.size()));
  std::map<std::string_view, double> topic_seconds;
  for (const auto& [input, lag] : state_->lag) {
    metrics.Set("neardup_consumer_lag_records", static_cast<double>(lag.records),
                {input.topic, std::to_string(input.partition)});
    const auto silent_s = static_cast<double>(clock_.SteadyMs() - lag.reported_ms) / 1000;
    double& seconds = topic_seconds[input.topic];
    if (lag.records > 0) seconds = std::max(seconds, lag.seconds + silent_s);
  }
  for (const auto& [topic, seconds] : topic_seconds) {
    metrics.Set("neardup_consumer_lag_seconds", seconds, {topic});
  }
}

void PrometheusProbe::Saw(const event::DeadLettersExcessive& seen) {
  state_->metrics.Set("neardup_dead_letters_excessive", seen.excessive ? 1 : 0);
}

void PrometheusProbe::Saw(const event::SnapshotWritten& seen) {
  const WrittenSnapshot& snapshot = seen.snapshot;
  MetricSet& metrics = state_->metrics;
  metrics.Count("neardup_snapshots_written_total");
  metrics.Set("neardup_snapshot_timestamp_seconds", Seconds(clock_.WallMs()));
  metrics.Set("neardup_snapshot_duration_seconds", snapshot.seconds);
  metrics.Set("neardup_snapshot_entries", Number(snapshot.entries));
  metrics.Set("neardup_snapshot_bytes", Number(snapshot.bytes));
}

void PrometheusProbe::Saw(const event::ChangelogPurged& seen) {
  state_->metrics.Set("neardup_changelog_purged_offset", static_cast<double>(seen.offset));
}

void PrometheusProbe::Saw(const event::PurgeRefused&) {
  state_->metrics.Count("neardup_snapshot_failures_total");
}

void PrometheusProbe::Saw(const event::KeeperFailed&) {
  state_->metrics.Count("neardup_snapshot_failures_total");
}

void PrometheusProbe::Saw(const event::SnapshotRestarted&) {
  state_->metrics.Count("neardup_state_discarded_total");
}

void PrometheusProbe::Saw(const event::InputUndecided& seen) {
  state_->metrics.Set("neardup_undecided_records", static_cast<double>(seen.records), {seen.topic});
}

void PrometheusProbe::SetLane(int32_t lane, int32_t lanes) {
  state_->metrics.Set("neardup_lane_info", 1, {std::to_string(lane), std::to_string(lanes)});
}

void PrometheusProbe::SetMemoryBound(uint64_t total, const MemoryParts& parts) {
  state_->metrics.Set("neardup_memory_bound_bytes", Number(total));
  for (const auto& [part, bytes] : parts) {
    state_->metrics.Set("neardup_memory_part_bound_bytes", Number(bytes), {part});
  }
}

void PrometheusProbe::KafkaComplained(bool is_error) {
  state_->metrics.Count("neardup_kafka_complaints_total", 1, {is_error ? "error" : "warning"});
}

void PrometheusProbe::SetSecretsRefused(bool refused) {
  state_->metrics.Set("neardup_secrets_refused", refused ? 1 : 0);
}

void PrometheusProbe::SetDrift(const DriftRatios& ratios, bool detected) {
  for (const auto& [aspect, ratio] : ratios) {
    state_->metrics.Set("neardup_drift_ratio", ratio, {aspect});
  }
  state_->metrics.Set("neardup_drift_detected", detected ? 1 : 0);
}

std::string PrometheusProbe::Text() const {
  const std::lock_guard lock(state_->lag_mutex);  // no other scrape may see half of the lag
  SetLag();
  std::vector<prometheus::MetricFamily> families = state_->metrics.Collect();
  std::vector<prometheus::MetricFamily> process = ProcessMetrics();
  std::move(process.begin(), process.end(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace neardup
