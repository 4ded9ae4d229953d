// The time series of the catalogue's metrics, set by name:
//
//   MetricSet metrics;
//   metrics.Count("neardup_transactions_total", 1, {"committed"});
//   metrics.Set("neardup_index_entries", 7);
//   metrics.Observe("neardup_batch_records", 256);
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <array>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "service/metrics/catalogue.h"

namespace neardup {

/// Values of a metric's labels, in the order of its row.
using LabelValues = std::initializer_list<std::string_view>;

/// Holds a series for each value of a closed label from the start, and for other values from the
/// first time they are set. Any thread may set a metric without labels or with a closed label. The
/// other metrics belong to one thread. Any thread may call Collect.
class MetricSet {
 public:
  /// Registers all rows except the rows of ProcessMetrics.
  MetricSet();

  /// Asserts that the number of values is right, and that a closed label has the value. So do all
  /// calls below.
  void Count(CounterName metric, double increment = 1, LabelValues values = {});
  void Set(GaugeName metric, double value, LabelValues values = {});
  void Observe(HistogramName metric, double sample, LabelValues values = {});
  /// Costs one lock, not one a sample.
  void ObserveAll(HistogramName metric, std::span<const double> samples);
  /// Adds samples that are counted already: one count for each bucket of the row and one for +Inf.
  void ObserveCounts(HistogramName metric, const std::vector<double>& counts, double sum);
  /// Ends all series of a metric whose label is not closed.
  void Forget(GaugeName metric);

  std::vector<prometheus::MetricFamily> Collect() const { return registry_.Collect(); }

 private:
  struct ByValues {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  /// The family of one row, and its series by the values of their labels.
  template <class T>
  struct Series {
    prometheus::Family<T>* family = nullptr;
    std::map<std::vector<std::string>, T*, ByValues> by_values;
  };
  template <class T>
  using AllSeries = std::array<Series<T>, kMetrics.size()>;  ///< by row; empty for other types

  template <class T, class Builder>
  void Register(const MetricRow& row, Series<T>& series, Builder builder);
  template <class T>
  static T& Add(const MetricRow& row, Series<T>& series, std::vector<std::string> values);
  template <class T>
  static T& At(const MetricRow& row, Series<T>& series, LabelValues values);

  prometheus::Registry registry_;
  AllSeries<prometheus::Counter> counters_;
  AllSeries<prometheus::Gauge> gauges_;
  AllSeries<prometheus::Histogram> histograms_;
};

// The process_* metrics, read from /proc/self.

/// The values now; any thread may ask. Leaves out metrics that /proc does not tell.
std::vector<prometheus::MetricFamily> ProcessMetrics();

}  // namespace neardup
