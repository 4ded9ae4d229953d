// All metrics of the process. Each metric is one row of kMetrics: the row gives the metric's name,
// type, labels, help text and buckets, and from it follow registration, look-up and
// docs/metrics.md.
//
// To add a metric, add a row here, and one line that sets it by its name (see MetricSet). A name
// without a row does not compile; a row that nothing sets fails a test.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "neardup/result.h"
#include "neardup/verdict.h"
#include "stream/lane/probe.h"

namespace neardup {

enum class MetricType : uint8_t { kCounter, kGauge, kHistogram };

constexpr const char* Name(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "gauge";
}

struct MetricRow {
  std::string_view name;
  MetricType type = MetricType::kGauge;
  /// Names of the labels; unused places are empty.
  std::array<std::string_view, 4> labels{};
  /// All values of the only label; each has a series from the start. Empty when there is no label,
  /// or when the values come from the stream or the build.
  std::span<const std::string_view> values{};
  /// A gauge that is NaN until it is first set; other metrics start at 0.
  bool unknown_at_start = false;
  std::string_view help;
  /// Upper bounds of a histogram's buckets, without +Inf.
  std::span<const double> buckets{};

  constexpr std::span<const std::string_view> label_names() const {
    return std::span(labels).first(
        static_cast<size_t>(std::find(labels.begin(), labels.end(), "") - labels.begin()));
  }
};

namespace metric_rows {

using enum MetricType;

/// Names of the values `first` to `last` of an enum.
template <class Enum, Enum first, Enum last>
constexpr auto NamesOf() {
  std::array<std::string_view, static_cast<size_t>(last) - static_cast<size_t>(first) + 1> names;
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = Name(static_cast<Enum>(static_cast<size_t>(first) + i));
  }
  return names;
}

inline constexpr auto kPhases = NamesOf<LanePhase, LanePhase::kStarting, LanePhase::kFailed>();
inline constexpr auto kReasons =
    NamesOf<Reason, static_cast<Reason>(1), static_cast<Reason>(kReasonCount - 1)>();
inline constexpr auto kErrorCodes = NamesOf<ErrorCode, ErrorCode::kConfig, ErrorCode::kInternal>();
inline constexpr std::string_view kVerdicts[] = {"unique", "near_duplicate", "exact_duplicate",
                                                 "passthrough", "dead_letter"};
inline constexpr std::string_view kStages[] = {"poll", "fingerprint", "lookup", "decide", "commit"};
inline constexpr std::string_view kEvictions[] = {"time", "capacity"};
inline constexpr auto kLosses =
    NamesOf<InputLoss::Kind, InputLoss::Kind::kUnreadStart, InputLoss::Kind::kReplaced>();
inline constexpr std::string_view kComplaints[] = {"error", "warning"};
inline constexpr std::string_view kOutcomes[] = {"committed", "aborted", "fenced"};

// Fine around one and two transaction intervals (transaction.interval_ms is 100 ms by default).
inline constexpr double kLatencyBuckets[] = {.005, .01, .025, .05, .075, .1, .15, .2, .25,
                                             .5,   1,   2.5,  5,   10,   30, 60,  300};
inline constexpr double kStageBuckets[] = {1e-5,   2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3,
                                           2.5e-3, 5e-3,   .01,  .025, .05,    .1,   .25,
                                           .5,     1,      2.5,  5,    10};
inline constexpr double kBatchBuckets[] = {1, 4, 16, 64, 256, 1024, 4096, 16384};
/// match.distance is at most 12, or 16 where records share text keys.
inline constexpr double kDistanceBuckets[] = {0, 1,  2,  3,  4,  5,  6,  7, 8,
                                              9, 10, 11, 12, 13, 14, 15, 16};

/// A metric without labels that only grows.
constexpr MetricRow Counter(std::string_view name, std::string_view help) {
  return {.name = name, .type = kCounter, .help = help};
}
/// A value without labels.
constexpr MetricRow Gauge(std::string_view name, std::string_view help) {
  return {.name = name, .type = kGauge, .help = help};
}

}  // namespace metric_rows

/// The order is the same as in docs/metrics.md. ProcessMetrics sets the rows whose names begin with
/// process_, PrometheusProbe all others.
inline constexpr auto kMetrics = [] {
  using namespace metric_rows;
  return std::to_array<MetricRow>({
      {.name = "neardup_build_info",
       .labels = {"version", "revision", "compiler", "librdkafka_version"},
       .help = "Always 1; the labels name the build that runs"},
      {.name = "neardup_lane_info",
       .labels = {"lane", "lanes"},
       .help = "Always 1; the labels say which lane this instance runs, and how many the app has"},
      {.name = "neardup_state",
       .labels = {"state"},
       .values = kPhases,
       .help = "1 for the state the lane is in, 0 for the others"},
      {.name = "neardup_records_consumed_total",
       .type = kCounter,
       .labels = {"topic"},
       .help = "Records polled; records of a transaction that did not commit count again"},
      {.name = "neardup_consumed_bytes_total",
       .type = kCounter,
       .labels = {"topic"},
       .help = "Bytes of the records polled"},
      {.name = "neardup_records_total",
       .type = kCounter,
       .labels = {"verdict"},
       .values = kVerdicts,
       .help = "Records committed, by verdict; each record counts under one verdict"},
      {.name = "neardup_dead_letter_records_total",
       .type = kCounter,
       .labels = {"reason"},
       .values = kReasons,
       .help = "Dead letters committed, by reason"},
      Gauge("neardup_dead_letters_excessive",
            "1 while the share of dead letters is above dead_letters.share_max, otherwise 0"),
      {.name = "neardup_drift_ratio",
       .labels = {"aspect"},
       .help = "How far the stream has moved away from the sample that the settings were chosen "
               "from, as a statistic divided by its threshold: above 1 it has drifted. The aspect "
               "joins counts near duplicates that share too little text with their originals. "
               "There is no series before the first window of records ends"},
      Gauge("neardup_drift_detected",
            "1 while the last two windows of records have drifted, otherwise 0"),
      Counter("neardup_late_records_total",
              "Records older than the horizon; their original may have been forgotten"),
      Counter("neardup_clamped_records_total",
              "Records whose event time was too far ahead of the clock and was clamped"),
      Counter("neardup_suspect_records_total",
              "Unique records that seem to repeat an original, by match.suspect_distance_max"),
      Counter("neardup_dropped_records_total",
              "Duplicates that went to no topic, because routing.exact or routing.near is drop"),
      Counter("neardup_replaced_records_total",
              "Duplicates that went to the unique topic instead of an older record, because "
              "routing.keep is newest"),
      Counter("neardup_released_records_total",
              "Duplicates that went to the unique topic by routing.release_exact_one_of or "
              "routing.release_near_one_of"),
      Counter("neardup_observed_records_total",
              "Duplicates and dead letters that went to the unique topic, because routing.mode is "
              "observe"),
      {.name = "neardup_end_to_end_latency_seconds",
       .type = kHistogram,
       .help = "Commit time minus the record's timestamp, at least 0",
       .buckets = kLatencyBuckets},
      {.name = "neardup_batch_duration_seconds",
       .type = kHistogram,
       .labels = {"stage"},
       .values = kStages,
       .help = "Duration of a stage, observed once per batch",
       .buckets = kStageBuckets},
      {.name = "neardup_batch_records",
       .type = kHistogram,
       .help = "Records fingerprinted and decided together",
       .buckets = kBatchBuckets},
      {.name = "neardup_match_hamming_distance",
       .type = kHistogram,
       .help = "Distance of a duplicate to its original: the Hamming distance of the fingerprints",
       .buckets = kDistanceBuckets},
      Counter("neardup_lookup_candidates_total", "Comparisons of look-ups with index entries"),
      Gauge("neardup_index_entries", "Unique records remembered"),
      Gauge("neardup_entries_missing",
            "Live entries that a standby lacks, because the changelog lost records; such a standby "
            "cannot take over"),
      Gauge("neardup_groups",
            "Remembered records that were copied, with routing.keep newest or a groups topic"),
      Gauge("neardup_index_capacity_entries",
            "Largest number of unique records the index remembers"),
      Gauge("neardup_index_bytes", "Memory of the index"),
      {.name = "neardup_index_evictions_total",
       .type = kCounter,
       .labels = {"reason"},
       .values = kEvictions,
       .help = "Entries forgotten; reason=capacity means that the index remembers less than the "
               "configured window"},
      Counter("neardup_index_keys_refused_total",
              "Text keys not stored, because their line of the index was full; a near duplicate "
              "that only such a key finds counts as unique"),
      {.name = "neardup_index_oldest_entry_timestamp_seconds",
       .unknown_at_start = true,
       .help = "Event time of the oldest entry; NaN while there is none"},
      {.name = "neardup_watermark_timestamp_seconds",
       .unknown_at_start = true,
       .help = "Smallest of the inputs' largest event times; NaN before the first record"},
      {.name = "neardup_transactions_total",
       .type = kCounter,
       .labels = {"result"},
       .values = kOutcomes,
       .help = "Transactions, by outcome"},
      Gauge("neardup_transaction_bytes_max",
            "Most bytes of a transaction; less than transaction.bytes_max while larger ones take "
            "too long to send"),
      {.name = "neardup_transaction_duration_seconds",
       .type = kHistogram,
       .help = "Time from begin to commit",
       .buckets = kLatencyBuckets},
      {.name = "neardup_lane_losses_total",
       .type = kCounter,
       .labels = {"code"},
       .values = kErrorCodes,
       .help = "Times the lane was given up and had to be taken again, by cause"},
      Counter("neardup_late_requests_fenced_total",
              "Times the lane was given up and taken again because a request of its last "
              "transaction was not answered and may reach the broker late"),
      Counter("neardup_leases_left_total",
              "Times this instance left the lease to another one, because its lane could not work"),
      Counter("neardup_takeovers_total",
              "Times this instance took the lane before it had the lease, because the process that "
              "was active had ended"),
      Counter("neardup_takeovers_wrong_total",
              "Times such a process was active again afterwards: the network refused connections "
              "in its name"),
      Counter("neardup_promotions_total", "Times this instance became active"),
      Gauge("neardup_restore_duration_seconds", "Duration of the last promotion"),
      Gauge("neardup_restored_entries", "Index entries after the last promotion"),
      Gauge("neardup_restore_progress_ratio",
            "Share of the state that is restored, 0 to 1: first of the snapshot, then of the "
            "changelog"),
      Counter(
          "neardup_state_discarded_total",
          "Times a snapshot was refused, or state was discarded and read from the changelog again"),
      Counter("neardup_snapshots_written_total", "Snapshots written"),
      Counter("neardup_snapshot_failures_total",
              "Times a snapshot could not be written or the changelog could not be purged"),
      {.name = "neardup_snapshot_timestamp_seconds",
       .unknown_at_start = true,
       .help = "Time at which the newest snapshot was written; NaN before the first"},
      Gauge("neardup_snapshot_duration_seconds",
            "Time it took to write the manifest of the newest snapshot and sync the snapshot to "
            "disk"),
      Gauge("neardup_snapshot_entries", "Entries in the newest snapshot"),
      Gauge("neardup_snapshot_bytes", "Size of the newest snapshot"),
      Counter("neardup_changelog_bytes_total",
              "Bytes that this instance committed to the changelog"),
      Gauge("neardup_changelog_next_offset",
            "Offset below which this instance knows all records of the changelog; the active "
            "instance renews it once a minute"),
      Gauge("neardup_standby_lag_records",
            "Offsets of the changelog that a standby has not read yet; 0 on the active instance"),
      {.name = "neardup_undecided_records",
       .labels = {"topic"},
       .help = "Records of an input that no instance has decided, including open transactions; "
               "every instance reports it, and refreshes the end offsets about every 15 s"},
      Gauge("neardup_changelog_purged_offset",
            "Offset below which this instance deleted the changelog's records"),
      Counter("neardup_changelog_losses_total",
              "Times the changelog had lost records and the lane went on without them"),
      Counter("neardup_group_offset_mismatches_total",
              "Partitions whose group offset differed from the changelog's; the changelog's offset "
              "was used"),
      {.name = "neardup_input_losses_total",
       .type = kCounter,
       .labels = {"kind"},
       .values = kLosses,
       .help = "Times the lane went on without offsets of an input: unread_start: deleted before "
               "anything was read; deleted: deleted before they were read; replaced: the topic was "
               "created again or its log was cut"},
      {.name = "neardup_input_offsets_lost_total",
       .type = kCounter,
       .labels = {"topic"},
       .help = "Offsets that were deleted before they were read"},
      {.name = "neardup_input_missing",
       .labels = {"topic"},
       .help =
           "1 while an input topic that was read before does not exist, 0 when it exists again"},
      Counter("neardup_lane_partitions_added_total",
              "New partitions of topics that several lanes share, with lanes.on_partition_growth "
              "continue; keys have moved between the lanes"),
      Gauge("neardup_inputs_unreachable",
            "Input partitions that are not read because their leader, or the schema registry, does "
            "not answer"),
      Gauge("neardup_assigned_partitions",
            "Input partitions that this instance reads; 0 on a standby"),
      {.name = "neardup_consumer_lag_records",
       .labels = {"topic", "partition"},
       .help = "Records between the next record to be polled and the end of the partition, "
               "including the records of open transactions"},
      {.name = "neardup_consumer_lag_seconds",
       .labels = {"topic"},
       .help = "How long the records of a lag have waited; the largest of the topic's partitions. "
               "It goes on growing while the lane is lost"},
      {.name = "neardup_last_poll_timestamp_seconds",
       .unknown_at_start = true,
       .help = "Time at which the active lane last polled its inputs; NaN before the first time"},
      Counter("process_cpu_seconds_total", "User and system CPU time of this process"),
      Gauge("process_resident_memory_bytes", "Memory of this process that is in RAM"),
      {.name = "neardup_memory_bound_bytes",
       .unknown_at_start = true,
       .help = "Memory that this process takes at most, as `neardup config show` computes it, with "
               "the input partitions at the start; NaN if the index has no limit"},
      {.name = "neardup_memory_part_bound_bytes",
       .labels = {"part"},
       .help = "The parts of neardup_memory_bound_bytes, as `neardup config show` names them"},
      {.name = "neardup_kafka_complaints_total",
       .type = kCounter,
       .labels = {"level"},
       .values = kComplaints,
       .help = "Errors and warnings of the Kafka client library, repeats included; the log shows a "
               "repeated one only once in 30 s"},
      Gauge("neardup_secrets_refused",
            "1 while the service keeps the old secrets because the changed ones do not work or "
            "cannot be read; otherwise 0"),
      Gauge("process_open_fds", "Open file descriptors"),
      Gauge("process_max_fds", "Largest number of file descriptors this process may open"),
      Gauge("process_start_time_seconds",
            "Time at which this process started, in seconds since 1970"),
  });
}();

/// The name of a metric, looked up while compiling: a name that has no row, or whose row is of
/// another type, does not compile.
template <MetricType type>
class MetricName {
 public:
  consteval MetricName(const char* name) {  // NOLINT(google-explicit-constructor)
    while (index_ < kMetrics.size() && kMetrics[index_].name != name) ++index_;
    if (index_ == kMetrics.size()) throw "no metric has this name";
    if (kMetrics[index_].type != type) throw "the metric has another type";
  }

  constexpr size_t index() const { return index_; }
  constexpr const MetricRow& row() const { return kMetrics[index_]; }

 private:
  size_t index_ = 0;
};

using CounterName = MetricName<MetricType::kCounter>;
using GaugeName = MetricName<MetricType::kGauge>;
using HistogramName = MetricName<MetricType::kHistogram>;

}  // namespace neardup
