#include "metrics/prometheus_probe.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "metrics/catalogue.h"
#include "metrics/process_metrics.h"

namespace neardup {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double Seconds(int64_t ms) { return ms == INT64_MIN ? kUnknown : static_cast<double>(ms) / 1000; }

/// Registers what a row of the catalogue says.
class Registrar {
 public:
  explicit Registrar(prometheus::Registry& registry) : registry_(registry) {}

  prometheus::Family<Counter>& Counters(Metric metric) {
    return Register(prometheus::BuildCounter(), metric, MetricType::kCounter);
  }
  prometheus::Family<Gauge>& Gauges(Metric metric) {
    return Register(prometheus::BuildGauge(), metric, MetricType::kGauge);
  }
  prometheus::Family<Histogram>& Histograms(Metric metric) {
    return Register(prometheus::BuildHistogram(), metric, MetricType::kHistogram);
  }

  Counter& OneCounter(Metric metric) { return Counters(metric).Add({}); }
  Gauge& OneGauge(Metric metric) { return Gauges(metric).Add({}); }
  Histogram& OneHistogram(Metric metric) {
    return Histograms(metric).Add({}, RowOf(metric).buckets);
  }

  /// One series for each value of the row's label, in the row's order.
  std::vector<Counter*> EachCounter(Metric metric) { return Each(Counters(metric), metric); }
  std::vector<Gauge*> EachGauge(Metric metric) { return Each(Gauges(metric), metric); }
  std::vector<Histogram*> EachHistogram(Metric metric) {
    return Each(Histograms(metric), metric, RowOf(metric).buckets);
  }

 private:
  template <class T>
  prometheus::Family<T>& Register(prometheus::detail::Builder<T> builder, Metric metric,
                                  [[maybe_unused]] MetricType type) {
    const MetricRow& row = RowOf(metric);
    assert(row.type == type);
    return builder.Name(row.name).Help(row.help).Register(registry_);
  }

  template <class T, class... Arguments>
  static std::vector<T*> Each(prometheus::Family<T>& family, Metric metric,
                              const Arguments&... arguments) {
    const MetricRow& row = RowOf(metric);
    std::vector<T*> series;
    for (const std::string& value : row.values) {
      series.push_back(&family.Add({{row.labels[0], value}}, arguments...));
    }
    return series;
  }

  prometheus::Registry& registry_;
};

/// Counts samples by bucket first, so that the histogram is locked once.
void ObserveAll(Histogram& histogram, Metric metric, const std::vector<double>& samples) {
  if (samples.empty()) return;
  const std::vector<double>& bounds = RowOf(metric).buckets;
  std::vector<double> counts(bounds.size() + 1);
  double sum = 0;
  for (const double sample : samples) {
    const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), sample) - bounds.begin();
    ++counts[static_cast<size_t>(bucket)];
    sum += sample;
  }
  histogram.ObserveMultiple(counts, sum);
}

template <class T, class Label>
T& At(const std::vector<T*>& series, Label label) {
  return *series[static_cast<size_t>(label)];
}

/// Turns a total that starts again with every new index into increments of a counter.
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
  Gauge* records = nullptr;
  double seconds = 0;
};

struct Consumed {
  Counter* records = nullptr;
  Counter* bytes = nullptr;
};

}  // namespace

/// Everything but `registry` belongs to the lane's thread; the metrics behind the pointers are safe
/// for several threads.
struct PrometheusProbe::Series {
  prometheus::Registry registry;
  ProcessMetrics process;
  Registrar registrar{registry};

  prometheus::Family<Gauge>& build_info = registrar.Gauges(Metric::kBuildInfo);
  std::vector<Gauge*> state = registrar.EachGauge(Metric::kState);
  prometheus::Family<Counter>& records_consumed = registrar.Counters(Metric::kRecordsConsumed);
  prometheus::Family<Counter>& consumed_bytes = registrar.Counters(Metric::kConsumedBytes);
  std::vector<Counter*> records = registrar.EachCounter(Metric::kRecords);
  std::vector<Counter*> dead_letters = registrar.EachCounter(Metric::kDeadLetterRecords);
  Counter& late = registrar.OneCounter(Metric::kLateRecords);
  Counter& clamped = registrar.OneCounter(Metric::kClampedRecords);
  Histogram& latency = registrar.OneHistogram(Metric::kEndToEndLatency);
  std::vector<Histogram*> stages = registrar.EachHistogram(Metric::kBatchDuration);
  Histogram& batch_records = registrar.OneHistogram(Metric::kBatchRecords);
  Histogram& distance = registrar.OneHistogram(Metric::kMatchDistance);
  Counter& candidates = registrar.OneCounter(Metric::kLookupCandidates);
  Gauge& entries = registrar.OneGauge(Metric::kIndexEntries);
  Gauge& capacity = registrar.OneGauge(Metric::kIndexCapacity);
  Gauge& index_bytes = registrar.OneGauge(Metric::kIndexBytes);
  std::vector<Counter*> evictions = registrar.EachCounter(Metric::kIndexEvictions);
  Gauge& oldest_entry = registrar.OneGauge(Metric::kIndexOldestEntry);
  Gauge& watermark = registrar.OneGauge(Metric::kWatermark);
  std::vector<Counter*> transactions = registrar.EachCounter(Metric::kTransactions);
  Histogram& transaction_duration = registrar.OneHistogram(Metric::kTransactionDuration);
  std::vector<Counter*> lane_losses = registrar.EachCounter(Metric::kLaneLosses);
  Counter& promotions = registrar.OneCounter(Metric::kPromotions);
  Gauge& restore_duration = registrar.OneGauge(Metric::kRestoreDuration);
  Gauge& restored_entries = registrar.OneGauge(Metric::kRestoredEntries);
  Gauge& restore_progress = registrar.OneGauge(Metric::kRestoreProgress);
  Counter& state_discarded = registrar.OneCounter(Metric::kStateDiscarded);
  Counter& snapshots = registrar.OneCounter(Metric::kSnapshots);
  Counter& snapshot_failures = registrar.OneCounter(Metric::kSnapshotFailures);
  Gauge& snapshot_time = registrar.OneGauge(Metric::kSnapshotTime);
  Gauge& snapshot_duration = registrar.OneGauge(Metric::kSnapshotDuration);
  Gauge& snapshot_entries = registrar.OneGauge(Metric::kSnapshotEntries);
  Gauge& snapshot_bytes = registrar.OneGauge(Metric::kSnapshotBytes);
  Gauge& changelog_purged = registrar.OneGauge(Metric::kChangelogPurged);
  Counter& offset_mismatches = registrar.OneCounter(Metric::kGroupOffsetMismatches);
  prometheus::Family<Gauge>& lag_records = registrar.Gauges(Metric::kLagRecords);
  prometheus::Family<Gauge>& lag_seconds = registrar.Gauges(Metric::kLagSeconds);
  Gauge& last_poll = registrar.OneGauge(Metric::kLastPoll);

  std::map<std::string, Consumed> consumed;  ///< by topic
  std::map<InputPartition, Lag> lags;
  std::map<std::string, Gauge*> topic_lags;
  uint64_t polled_records = 0;  ///< of the batch that is being decided
  Growth candidates_growth;
  Growth expired_growth;
  Growth evicted_growth;

  void ForgetLags();
};

void PrometheusProbe::Series::ForgetLags() {
  for (const auto& [input, lag] : lags) lag_records.Remove(lag.records);
  for (const auto& [topic, gauge] : topic_lags) lag_seconds.Remove(gauge);
  lags.clear();
  topic_lags.clear();
}

PrometheusProbe::PrometheusProbe(const BuildInfo& build, const Clock& clock)
    : series_(std::make_unique<Series>()), clock_(clock) {
  series_->build_info
      .Add({{"version", build.version},
            {"revision", build.revision},
            {"compiler", build.compiler},
            {"librdkafka_version", build.librdkafka_version}})
      .Set(1);
  for (Gauge* gauge : {&series_->oldest_entry, &series_->watermark, &series_->last_poll,
                       &series_->snapshot_time}) {
    gauge->Set(kUnknown);
  }
  PhaseChanged(LanePhase::kStarting);
}

PrometheusProbe::~PrometheusProbe() = default;

void PrometheusProbe::PhaseChanged(LanePhase phase) {
  for (size_t i = 0; i < series_->state.size(); ++i) {
    series_->state[i]->Set(i == static_cast<size_t>(phase) ? 1 : 0);
  }
  // An instance that does not read has no lag; the one that starts to will report it.
  series_->ForgetLags();
}

void PrometheusProbe::Restoring(double share, uint64_t /*entries*/) {
  series_->restore_progress.Set(share);
}

void PrometheusProbe::StateDiscarded(std::string_view /*why*/) {
  series_->state_discarded.Increment();
}

void PrometheusProbe::SnapshotWritten(const WrittenSnapshot& snapshot) {
  series_->snapshots.Increment();
  series_->snapshot_time.Set(Seconds(clock_.WallMs()));
  series_->snapshot_duration.Set(snapshot.seconds);
  series_->snapshot_entries.Set(static_cast<double>(snapshot.entries));
  series_->snapshot_bytes.Set(static_cast<double>(snapshot.bytes));
}

void PrometheusProbe::ChangelogPurged(int64_t offset) {
  series_->changelog_purged.Set(static_cast<double>(offset));
}

void PrometheusProbe::PurgeRefused(const Error&) { series_->snapshot_failures.Increment(); }

void PrometheusProbe::KeeperFailed(const Error&) { series_->snapshot_failures.Increment(); }

void PrometheusProbe::SnapshotRestarted(std::string_view /*why*/) {
  series_->state_discarded.Increment();
}

void PrometheusProbe::BatchPolled(const InputPartition& input, uint64_t records, uint64_t bytes) {
  Consumed& consumed = series_->consumed[input.topic];
  if (consumed.records == nullptr) {
    consumed.records = &series_->records_consumed.Add({{"topic", input.topic}});
    consumed.bytes = &series_->consumed_bytes.Add({{"topic", input.topic}});
  }
  consumed.records->Increment(static_cast<double>(records));
  consumed.bytes->Increment(static_cast<double>(bytes));
  series_->polled_records += records;
}

void PrometheusProbe::StageTimed(Stage stage, double seconds) {
  At(series_->stages, stage).Observe(seconds);
  if (stage == Stage::kFingerprint) {
    series_->batch_records.Observe(static_cast<double>(std::exchange(series_->polled_records, 0)));
  }
}

void PrometheusProbe::TransactionCommitted(const CommittedBatch& batch) {
  const auto count = [&](VerdictLabel label, uint64_t n) {
    At(series_->records, label).Increment(static_cast<double>(n));
  };
  count(VerdictLabel::kUnique, batch.unique);
  count(VerdictLabel::kNear, batch.near_duplicates);
  count(VerdictLabel::kExact, batch.exact_duplicates);
  count(VerdictLabel::kPassthrough, batch.passed);
  count(VerdictLabel::kDeadLetter, batch.dead());
  for (size_t reason = 1; reason < batch.dead_letters.size(); ++reason) {
    series_->dead_letters[reason - 1]->Increment(static_cast<double>(batch.dead_letters[reason]));
  }
  series_->late.Increment(static_cast<double>(batch.late));
  series_->clamped.Increment(static_cast<double>(batch.clamped));
  ObserveAll(series_->latency, Metric::kEndToEndLatency, batch.latencies_s);

  // Bucket i is distance i; the last one is +Inf.
  const std::vector<double> distances(batch.distances.begin(), batch.distances.end());
  series_->distance.ObserveMultiple(distances, static_cast<double>(batch.distance_sum));

  At(series_->transactions, TransactionLabel::kCommitted).Increment();
  series_->transaction_duration.Observe(batch.duration_s);
}

void PrometheusProbe::TransactionAborted(const Error&) {
  At(series_->transactions, TransactionLabel::kAborted).Increment();
}

void PrometheusProbe::LaneLost(const Error& error) {
  At(series_->lane_losses, error.code).Increment();
  if (error.code == ErrorCode::kFenced) {
    At(series_->transactions, TransactionLabel::kFenced).Increment();
  }
}

void PrometheusProbe::Promoted(uint64_t /*seq*/, uint64_t entries, double seconds) {
  series_->promotions.Increment();
  series_->restored_entries.Set(static_cast<double>(entries));
  series_->restore_duration.Set(seconds);
}

void PrometheusProbe::OffsetsDiffer(const InputPartition&, int64_t /*group*/, int64_t /*delta*/) {
  series_->offset_mismatches.Increment();
}

void PrometheusProbe::Gauges(const LaneGauges& gauges) {
  series_->entries.Set(static_cast<double>(gauges.entries));
  series_->capacity.Set(static_cast<double>(gauges.entries_max));
  series_->index_bytes.Set(static_cast<double>(gauges.index_bytes));
  series_->oldest_entry.Set(Seconds(gauges.oldest_time_ms));
  series_->watermark.Set(Seconds(gauges.watermark_ms));
  series_->candidates.Increment(series_->candidates_growth.Since(gauges.candidates));
  At(series_->evictions, EvictionLabel::kTime)
      .Increment(series_->expired_growth.Since(gauges.entries_expired));
  At(series_->evictions, EvictionLabel::kCapacity)
      .Increment(series_->evicted_growth.Since(gauges.entries_evicted));
  // Comes with every round of an active lane, also when the inputs are silent.
  series_->last_poll.Set(Seconds(clock_.WallMs()));
}

void PrometheusProbe::InputLag(const InputPartition& input, int64_t records, double seconds) {
  Lag& lag = series_->lags[input];
  if (lag.records == nullptr) {
    lag.records = &series_->lag_records.Add(
        {{"topic", input.topic}, {"partition", std::to_string(input.partition)}});
  }
  lag.records->Set(static_cast<double>(records));
  lag.seconds = seconds;

  double topic_seconds = 0;
  for (const auto& [other, other_lag] : series_->lags) {
    if (other.topic == input.topic) topic_seconds = std::max(topic_seconds, other_lag.seconds);
  }
  Gauge*& topic_lag = series_->topic_lags[input.topic];
  if (topic_lag == nullptr) topic_lag = &series_->lag_seconds.Add({{"topic", input.topic}});
  topic_lag->Set(topic_seconds);
}

std::string PrometheusProbe::Text() const {
  std::vector<prometheus::MetricFamily> families = series_->registry.Collect();
  std::vector<prometheus::MetricFamily> process = series_->process.Collect();
  std::move(process.begin(), process.end(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace neardup
