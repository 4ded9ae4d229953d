#include "service/metrics/metric_set.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>

namespace neardup {

using prometheus::Counter;
using prometheus::Gauge;

template <class T>
T& MetricSet::Add(const MetricRow& row, Series<T>& series, std::vector<std::string> values) {
  prometheus::Labels labels;
  for (size_t i = 0; i < values.size(); ++i) {
    labels.emplace(row.label_names()[i], values[i]);
  }
  T* added = nullptr;
  if constexpr (std::is_same_v<T, prometheus::Histogram>) {
    added = &series.family->Add(
        labels, prometheus::Histogram::BucketBoundaries(row.buckets.begin(), row.buckets.end()));
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

namespace {

/// The numbers in /proc/self/stat, numbered from field 3 on as in proc(5).
class Stat {
 public:
  Stat() {
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    // The command name may contain spaces and brackets.
    std::istringstream rest(line.substr(line.rfind(')') + 1));
    fields_.assign(std::istream_iterator<std::string>(rest), {});
  }

  std::optional<double> Field(size_t number) const {
    if (number - 3 >= fields_.size()) return std::nullopt;
    std::istringstream text(fields_[number - 3]);
    double value = 0;
    return text >> value ? std::optional(value) : std::nullopt;
  }

 private:
  std::vector<std::string> fields_;
};

/// Time at which the machine started, in seconds since 1970.
std::optional<double> BootTime() {
  std::ifstream file("/proc/stat");
  for (std::string name; file >> name;) {
    double value = 0;
    if (name == "btime") return file >> value ? std::optional(value) : std::nullopt;
    std::getline(file, name);
  }
  return std::nullopt;
}

std::optional<double> OpenFds() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return std::nullopt;
  // Not counting the descriptor of the directory that is being read.
  return static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

}  // namespace

std::vector<prometheus::MetricFamily> ProcessMetrics() {
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&](const MetricRow& row, prometheus::MetricType type) -> auto& {
    prometheus::MetricFamily& family = families.emplace_back();
    family.name = row.name;
    family.help = row.help;
    family.type = type;
    return family.metric.emplace_back();
  };
  const auto count = [&](CounterName metric, double value) {
    add(metric.row(), prometheus::MetricType::Counter).counter.value = value;
  };
  const auto set = [&](GaugeName metric, double value) {
    add(metric.row(), prometheus::MetricType::Gauge).gauge.value = value;
  };

  const Stat stat;
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  const std::optional<double> user = stat.Field(14);
  const std::optional<double> system = stat.Field(15);
  if (user && system) count("process_cpu_seconds_total", (*user + *system) / ticks_per_s);
  if (const auto pages = stat.Field(24)) set("process_resident_memory_bytes", *pages * page_bytes);
  if (const auto open = OpenFds()) set("process_open_fds", *open);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    set("process_max_fds", static_cast<double>(limit.rlim_cur));
  }
  const std::optional<double> boot = BootTime();
  const std::optional<double> started = stat.Field(22);
  if (boot && started) set("process_start_time_seconds", *boot + *started / ticks_per_s);
  return families;
}

}  // namespace neardup
