// Turns the lane's events into Prometheus metrics.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/metrics/metric_set.h"
#include "service/metrics/status.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"

namespace neardup {

/// The lane's thread calls the events of Probe, the keeper's thread the events of KeeperProbe, and
/// any thread Text. Every series of a closed label exists from the start. The clock must outlive
/// the probe.
class PrometheusProbe final : public SeesLane<PrometheusProbe>, public SeesKeeper<PrometheusProbe> {
 public:
  PrometheusProbe(const BuildInfo& build, const Clock& clock);

  void Saw(const event::PhaseChanged& seen);
  void Saw(const event::Followed& seen);
  void Saw(const event::CaughtUp& seen);
  void Saw(const event::Restoring& seen) {
    metrics_.Set("neardup_restore_progress_ratio", seen.share);
  }
  void Saw(const event::StateDiscarded&) { metrics_.Count("neardup_state_discarded_total"); }
  void Saw(const event::BatchPolled& seen);
  void Saw(const event::StageTimed& seen);
  void Saw(const event::TransactionCommitted& seen);
  void Saw(const event::TransactionAborted&) {
    metrics_.Count("neardup_transactions_total", 1, {"aborted"});
  }
  void Saw(const event::TransactionSized& seen);
  void Saw(const event::LaneLost& seen);
  void Saw(const event::LateRequestFenced&) {
    metrics_.Count("neardup_late_requests_fenced_total");
  }
  void Saw(const event::TakesOver&) { metrics_.Count("neardup_takeovers_total"); }
  void Saw(const event::TookOverWrongly&) { metrics_.Count("neardup_takeovers_wrong_total"); }
  void Saw(const event::LeaseLeft&) { metrics_.Count("neardup_leases_left_total"); }
  void Saw(const event::Promoted& seen);
  void Saw(const event::OffsetsDiffer&) { metrics_.Count("neardup_group_offset_mismatches_total"); }
  void Saw(const event::ChangelogLost&) { metrics_.Count("neardup_changelog_losses_total"); }
  void Saw(const event::InputLost& seen);
  void Saw(const event::InputMissing& seen) {
    metrics_.Set("neardup_input_missing", seen.missing ? 1 : 0, {seen.topic});
  }
  void Saw(const event::InputUnreachable& seen);
  void Saw(const event::PartitionAdded&) {
    metrics_.Count("neardup_lane_partitions_added_total", 1);
  }
  void Saw(const event::Gauges& seen);
  void Saw(const event::InputLag& seen);
  void Saw(const event::DeadLettersExcessive& seen) {
    metrics_.Set("neardup_dead_letters_excessive", seen.excessive ? 1 : 0);
  }
  void Saw(const event::SnapshotRestored&) {}
  void Saw(const event::BatchFingerprinted&) {}
  void Saw(const event::PipelineChanged&) {}
  void Saw(const event::InputPosition&) {}
  void Saw(const event::RecordRefused&) {}

  void Saw(const event::SnapshotWritten& seen);
  void Saw(const event::ChangelogPurged& seen) {
    metrics_.Set("neardup_changelog_purged_offset", static_cast<double>(seen.offset));
  }
  void Saw(const event::PurgeRefused&) { metrics_.Count("neardup_snapshot_failures_total"); }
  void Saw(const event::KeeperFailed&) { metrics_.Count("neardup_snapshot_failures_total"); }
  void Saw(const event::SnapshotRestarted&) { metrics_.Count("neardup_state_discarded_total"); }
  void Saw(const event::InputUndecided& seen) {
    metrics_.Set("neardup_undecided_records", static_cast<double>(seen.records), {seen.topic});
  }

  /// The lane that the process runs, and the number of lanes of the app.
  void SetLane(int32_t lane, int32_t lanes);
  /// Bytes that each part of a process takes at most.
  using MemoryParts = std::vector<std::pair<std::string, uint64_t>>;
  void SetMemoryBound(uint64_t total, const MemoryParts& parts);
  /// The Kafka client library reported an error or a warning. From any thread.
  void KafkaComplained(bool is_error);
  /// Whether changed secrets are not used, because they do not work. From any thread.
  void SetSecretsRefused(bool refused);
  /// By aspect, for the window of records that has ended.
  using DriftRatios = std::vector<std::pair<std::string, double>>;
  void SetDrift(const DriftRatios& ratios, bool detected);

  /// All metrics, also the metrics of the process, in Prometheus' text format.
  std::string Text();

 private:
  /// Turns a total that starts at 0 again with every new index into increments of a counter.
  class Growth {
   public:
    double Since(uint64_t total) {
      const uint64_t grown = total >= total_ ? total - total_ : total;
      total_ = total;
      return static_cast<double>(grown);
    }

   private:
    uint64_t total_ = 0;
  };
  struct Lag {
    int64_t records = 0;
    double seconds = 0;
    int64_t reported_ms = 0;
  };
  void ForgetLag();
  void SetLag();

  const Clock& clock_;
  MetricSet metrics_;
  std::mutex lag_mutex_;
  /// Guarded by lag_mutex_, like the metrics of the lag.
  std::map<InputPartition, Lag> lag_;
  // Everything below belongs to the lane's thread.
  uint64_t polled_records_ = 0;  ///< in the batch that is being decided
  LanePhase phase_ = LanePhase::kStarting;
  Growth candidates_;
  Growth keys_refused_;
  Growth expired_;
  Growth evicted_;
  std::set<InputPartition> unreachable_;
};

}  // namespace neardup
