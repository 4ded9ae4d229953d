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
