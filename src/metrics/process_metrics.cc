#include "metrics/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include "metrics/catalogue.h"

namespace neardup {
namespace {

prometheus::MetricFamily Family(Metric metric, double value) {
  const MetricRow& row = RowOf(metric);
  prometheus::MetricFamily family;
  family.name = row.name;
  family.help = row.help;
  family.metric.resize(1);
  if (row.type == MetricType::kCounter) {
    family.type = prometheus::MetricType::Counter;
    family.metric[0].counter.value = value;
  } else {
    family.type = prometheus::MetricType::Gauge;
    family.metric[0].gauge.value = value;
  }
  return family;
}

/// Numbers of /proc/self/stat from field 3 on, numbered as in proc(5).
class Stat {
 public:
  Stat() {
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    // The command name may hold anything, also spaces and brackets.
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

/// Seconds since 1970 at which the machine started.
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
  // Without the one this very count has opened.
  return static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

}  // namespace

std::vector<prometheus::MetricFamily> ProcessMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&](Metric metric, std::optional<double> value) {
    if (value) families.push_back(Family(metric, *value));
  };
  const Stat stat;
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  const std::optional<double> user = stat.Field(14);
  const std::optional<double> system = stat.Field(15);
  if (user && system) add(Metric::kProcessCpu, (*user + *system) / ticks_per_s);
  if (const auto pages = stat.Field(24)) add(Metric::kProcessMemory, *pages * page_bytes);
  add(Metric::kProcessOpenFds, OpenFds());
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    add(Metric::kProcessMaxFds, static_cast<double>(limit.rlim_cur));
  }
  const std::optional<double> boot = BootTime();
  const std::optional<double> started = stat.Field(22);
  if (boot && started) add(Metric::kProcessStart, *boot + *started / ticks_per_s);
  return families;
}

}  // namespace neardup
