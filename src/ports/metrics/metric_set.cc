#include "metrics/metric_set.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <type_traits>
#include <utility>

namespace neardup {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;

template <class T>
T& MetricSet::Add(const MetricRow& row, Series<T>& series, std::vector<std::string> values) {
  prometheus::Labels labels;
  for (size_t i = 0; i < values.size(); ++i) {
    labels.emplace(row.label_names()[i], values[i]);
  }
  T* added = nullptr;
  if constexpr (std::is_same_v<T, Histogram>) {
    added = &series.family->Add(
        labels, Histogram::BucketBoundaries(row.buckets.begin(), row.buckets.end()));
  } else {
    added = &series.family->Add(labels);
  }
  if constexpr (std::is_same_v<T, Gauge>) {
    if (row.unknown_at_start) added->Set(std::numeric_limits<double>::quiet_NaN());
  }
  series.by_values.emplace(std::move(values), added);
  return *added;
}

template <class T>
T& MetricSet::At(const MetricRow& row, Series<T>& series, LabelValues values) {
  const auto found = series.by_values.find(values);
  if (found != series.by_values.end()) return *found->second;
  assert(series.family != nullptr);
  assert(values.size() == row.label_names().size() && row.values.empty());
  return Add(row, series, {values.begin(), values.end()});
}

template <class T, class Builder>
void MetricSet::Register(const MetricRow& row, Series<T>& series, Builder builder) {
  series.family =
      &builder.Name(std::string(row.name)).Help(std::string(row.help)).Register(registry_);
  if (row.label_names().empty()) Add(row, series, {});
  for (const std::string_view value : row.values) Add(row, series, {std::string(value)});
}

MetricSet::MetricSet() {
  for (size_t i = 0; i < kMetrics.size(); ++i) {
    const MetricRow& row = kMetrics[i];
    if (row.name.starts_with("process_")) continue;
    switch (row.type) {
      case MetricType::kCounter:
        Register(row, counters_[i], prometheus::BuildCounter());
        break;
      case MetricType::kGauge:
        Register(row, gauges_[i], prometheus::BuildGauge());
        break;
      case MetricType::kHistogram:
        Register(row, histograms_[i], prometheus::BuildHistogram());
        break;
    }
  }
}

void MetricSet::Count(CounterName metric, double increment, LabelValues values) {
  At(metric.row(), counters_[metric.index()], values).Increment(increment);
}

void MetricSet::Set(GaugeName metric, double value, LabelValues values) {
  At(metric.row(), gauges_[metric.index()], values).Set(value);
}

void MetricSet::Observe(HistogramName metric, double sample, LabelValues values) {
  At(metric.row(), histograms_[metric.index()], values).Observe(sample);
}

void MetricSet::ObserveAll(HistogramName metric, std::span<const double> samples) {
  if (samples.empty()) return;
  const std::span<const double> bounds = metric.row().buckets;
  std::vector<double> counts(bounds.size() + 1);
  double sum = 0;
  for (const double sample : samples) {
    const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), sample) - bounds.begin();
    ++counts[static_cast<size_t>(bucket)];
    sum += sample;
  }
  ObserveCounts(metric, counts, sum);
}

void MetricSet::ObserveCounts(HistogramName metric, const std::vector<double>& counts, double sum) {
  assert(counts.size() == metric.row().buckets.size() + 1);
  At(metric.row(), histograms_[metric.index()], {}).ObserveMultiple(counts, sum);
}

void MetricSet::Forget(GaugeName metric) {
  assert(!metric.row().label_names().empty() && metric.row().values.empty());
  Series<Gauge>& series = gauges_[metric.index()];
  for (const auto& [values, gauge] : series.by_values) series.family->Remove(gauge);
  series.by_values.clear();
}

}  // namespace neardup
