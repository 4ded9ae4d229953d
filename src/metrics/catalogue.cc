#include "metrics/catalogue.h"

#include <cassert>
#include <cstddef>

#include "neardup/result.h"
#include "neardup/verdict.h"
#include "stream/probe.h"

namespace neardup {
namespace {

using Labels = std::vector<std::string>;

std::vector<std::string> PhaseNames() {
  std::vector<std::string> names;
  for (int i = 0; i < kLanePhaseCount; ++i) names.emplace_back(Name(static_cast<LanePhase>(i)));
  return names;
}

/// Without kNone: value i is Reason i + 1.
std::vector<std::string> ReasonNames() {
  std::vector<std::string> names;
  for (int i = 1; i < kReasonCount; ++i) names.emplace_back(Name(static_cast<Reason>(i)));
  return names;
}

std::vector<std::string> ErrorCodeNames() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    names.emplace_back(Name(static_cast<ErrorCode>(i)));
  }
  return names;
}

const std::vector<double> kLatencyBuckets = {.005, .01, .025, .05, .1, .25, .5,
                                             1,    2.5, 5,    10,  30, 60,  300};
const std::vector<double> kStageBuckets = {1e-5,   2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3,
                                           2.5e-3, 5e-3,   .01,  .025, .05,    .1,   .25,
                                           .5,     1,      2.5,  5,    10};
const std::vector<double> kBatchBuckets = {1, 4, 16, 64, 256, 1024, 4096, 16384};
/// distance_max is at most 12, and 16 where text keys are shared; another scheme may go beyond.
const std::vector<double> kDistanceBuckets = {0, 1,  2,  3,  4,  5,  6,  7, 8,
                                              9, 10, 11, 12, 13, 14, 15, 16};

std::vector<MetricRow> ProcessRows() {
  return {
      {Metric::kProcessCpu,
       "process_cpu_seconds_total",
       MetricType::kCounter,
       {},
       {},
       "User and system time of this process",
       {}},
      {Metric::kProcessMemory,
       "process_resident_memory_bytes",
       MetricType::kGauge,
       {},
       {},
       "Memory of this process that is in RAM",
       {}},
      {Metric::kProcessOpenFds,
       "process_open_fds",
       MetricType::kGauge,
       {},
       {},
       "Open file descriptors",
       {}},
      {Metric::kProcessMaxFds,
       "process_max_fds",
       MetricType::kGauge,
       {},
       {},
       "File descriptors this process may open",
       {}},
      {Metric::kProcessStart,
       "process_start_time_seconds",
       MetricType::kGauge,
       {},
       {},
       "When this process started, in seconds since 1970",
       {}},
  };
}

std::vector<MetricRow> RecordRows() {
  return {
      {Metric::kBuildInfo,
       "neardup_build_info",
       MetricType::kGauge,
       {"version", "revision", "compiler", "librdkafka_version"},
       {},
       "Always 1; the labels say what runs",
       {}},
      {Metric::kState,
       "neardup_state",
       MetricType::kGauge,
       {"state"},
       PhaseNames(),
       "1 for the state the lane is in, 0 for the others",
       {}},
      {Metric::kRecordsConsumed,
       "neardup_records_consumed_total",
       MetricType::kCounter,
       {"topic"},
       {},
       "Records polled; those of a transaction that did not commit count again",
       {}},
      {Metric::kConsumedBytes,
       "neardup_consumed_bytes_total",
       MetricType::kCounter,
       {"topic"},
       {},
       "Bytes of the records polled",
       {}},
      {Metric::kRecords,
       "neardup_records_total",
       MetricType::kCounter,
       {"verdict"},
       {"unique", "near_duplicate", "exact_duplicate", "passthrough", "dead_letter"},
       "Records committed, by verdict; the sum is all of them",
       {}},
      {Metric::kDeadLetterRecords,
       "neardup_dead_letter_records_total",
       MetricType::kCounter,
       {"reason"},
       ReasonNames(),
       "Dead letters committed, by reason",
       {}},
      {Metric::kLateRecords,
       "neardup_late_records_total",
       MetricType::kCounter,
       {},
       {},
       "Records older than the horizon: their original may have been forgotten",
       {}},
      {Metric::kClampedRecords,
       "neardup_clamped_records_total",
       MetricType::kCounter,
       {},
       {},
       "Records whose event time was too far ahead of the clock and was clamped",
       {}},
      {Metric::kEndToEndLatency,
       "neardup_end_to_end_latency_seconds",
       MetricType::kHistogram,
       {},
       {},
       "Commit time minus the record's timestamp, at least 0",
       kLatencyBuckets},
      {Metric::kBatchDuration,
       "neardup_batch_duration_seconds",
       MetricType::kHistogram,
       {"stage"},
       {"poll", "fingerprint", "decide", "commit"},
       "Time of a stage, once per batch",
       kStageBuckets},
      {Metric::kBatchRecords,
       "neardup_batch_records",
       MetricType::kHistogram,
       {},
       {},
       "Records fingerprinted and decided together",
       kBatchBuckets},
      {Metric::kMatchDistance,
       "neardup_match_hamming_distance",
       MetricType::kHistogram,
       {},
       {},
       "Hamming distance of a duplicate to its original; with another match.scheme, its distance",
       kDistanceBuckets},
  };
}

std::vector<MetricRow> IndexRows() {
  return {
      {Metric::kLookupCandidates,
       "neardup_lookup_candidates_total",
       MetricType::kCounter,
       {},
       {},
       "Comparisons of look-ups with index entries",
       {}},
      {Metric::kIndexEntries,
       "neardup_index_entries",
       MetricType::kGauge,
       {},
       {},
       "Unique records remembered",
       {}},
      {Metric::kIndexCapacity,
       "neardup_index_capacity_entries",
       MetricType::kGauge,
       {},
       {},
       "Unique records remembered at most",
       {}},
      {Metric::kIndexBytes,
       "neardup_index_bytes",
       MetricType::kGauge,
       {},
       {},
       "Memory of the index",
       {}},
      {Metric::kIndexEvictions,
       "neardup_index_evictions_total",
       MetricType::kCounter,
       {"reason"},
       {"time", "capacity"},
       "Entries forgotten; reason=capacity means the window is shorter than configured",
       {}},
      {Metric::kIndexOldestEntry,
       "neardup_index_oldest_entry_timestamp_seconds",
       MetricType::kGauge,
       {},
       {},
       "Event time of the oldest entry; NaN while there is none",
       {}},
      {Metric::kWatermark,
       "neardup_watermark_timestamp_seconds",
       MetricType::kGauge,
       {},
       {},
       "Smallest of the inputs' largest event times; NaN before the first record",
       {}},
  };
}

std::vector<MetricRow> LaneRows() {
  return {
      {Metric::kTransactions,
       "neardup_transactions_total",
       MetricType::kCounter,
       {"result"},
       {"committed", "aborted", "fenced"},
       "Transactions by outcome",
       {}},
      {Metric::kTransactionDuration,
       "neardup_transaction_duration_seconds",
       MetricType::kHistogram,
       {},
       {},
       "From begin to commit",
       kLatencyBuckets},
      {Metric::kLaneLosses,
       "neardup_lane_losses_total",
       MetricType::kCounter,
       {"code"},
       ErrorCodeNames(),
       "Times the lane was given up and had to be taken again, by cause",
       {}},
      {Metric::kPromotions,
       "neardup_promotions_total",
       MetricType::kCounter,
       {},
       {},
       "Times this instance became active",
       {}},
      {Metric::kRestoreDuration,
       "neardup_restore_duration_seconds",
       MetricType::kGauge,
       {},
       {},
       "Time the last promotion took",
       {}},
      {Metric::kRestoredEntries,
       "neardup_restored_entries",
       MetricType::kGauge,
       {},
       {},
       "Index entries after the last promotion",
       {}},
      {Metric::kRestoreProgress,
       "neardup_restore_progress_ratio",
       MetricType::kGauge,
       {},
       {},
       "Share of the state that is restored, 0 to 1; of the snapshot first, then of the changelog",
       {}},
      {Metric::kStateDiscarded,
       "neardup_state_discarded_total",
       MetricType::kCounter,
       {},
       {},
       "Snapshots refused, and state given up to be read from the changelog anew",
       {}},
      {Metric::kSnapshots,
       "neardup_snapshots_written_total",
       MetricType::kCounter,
       {},
       {},
       "Snapshots written",
       {}},
      {Metric::kSnapshotFailures,
       "neardup_snapshot_failures_total",
       MetricType::kCounter,
       {},
       {},
       "Times a snapshot could not be written, or the changelog not be purged",
       {}},
      {Metric::kSnapshotTime,
       "neardup_snapshot_timestamp_seconds",
       MetricType::kGauge,
       {},
       {},
       "When the newest snapshot was written; NaN before the first",
       {}},
      {Metric::kSnapshotDuration,
       "neardup_snapshot_duration_seconds",
       MetricType::kGauge,
       {},
       {},
       "Time the newest snapshot took to be synced to disk",
       {}},
      {Metric::kSnapshotEntries,
       "neardup_snapshot_entries",
       MetricType::kGauge,
       {},
       {},
       "Entries in the newest snapshot",
       {}},
      {Metric::kSnapshotBytes,
       "neardup_snapshot_bytes",
       MetricType::kGauge,
       {},
       {},
       "Size of the newest snapshot",
       {}},
      {Metric::kChangelogPurged,
       "neardup_changelog_purged_offset",
       MetricType::kGauge,
       {},
       {},
       "Offset of the changelog below which this instance had records deleted",
       {}},
      {Metric::kGroupOffsetMismatches,
       "neardup_group_offset_mismatches_total",
       MetricType::kCounter,
       {},
       {},
       "Partitions whose group offset differed from the changelog's, which was taken",
       {}},
      {Metric::kLagRecords,
       "neardup_consumer_lag_records",
       MetricType::kGauge,
       {"topic", "partition"},
       {},
       "Records between the next one to be polled and the end",
       {}},
      {Metric::kLagSeconds,
       "neardup_consumer_lag_seconds",
       MetricType::kGauge,
       {"topic"},
       {},
       "Age of the last record polled where there is a lag, the largest of the topic's partitions",
       {}},
      {Metric::kLastPoll,
       "neardup_last_poll_timestamp_seconds",
       MetricType::kGauge,
       {},
       {},
       "When the active lane last polled its inputs; NaN before the first time",
       {}},
  };
}

std::vector<MetricRow> MakeCatalogue() {
  std::vector<MetricRow> rows;
  for (std::vector<MetricRow> part : {RecordRows(), IndexRows(), LaneRows(), ProcessRows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  assert(rows.size() == kMetricCount);
  for (size_t i = 0; i < rows.size(); ++i) assert(rows[i].metric == static_cast<Metric>(i));
  return rows;
}

}  // namespace

const std::vector<MetricRow>& MetricCatalogue() {
  static const std::vector<MetricRow> rows = MakeCatalogue();
  return rows;
}

const MetricRow& RowOf(Metric metric) { return MetricCatalogue()[static_cast<size_t>(metric)]; }

std::string MetricsReference() {
  std::string text = "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const MetricRow& row : MetricCatalogue()) {
    std::string labels;
    for (const std::string& label : row.labels) labels += (labels.empty() ? "" : ", ") + label;
    std::string values;
    for (const std::string& value : row.values) values += (values.empty() ? " = " : ", ") + value;
    text += "| `" + row.name + "` | " + Name(row.type) + " | " + labels + values + " | " +
            row.help + " |\n";
  }
  return text;
}

}  // namespace neardup
