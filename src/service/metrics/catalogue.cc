#include "service/metrics/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace neardup {

std::string MetricsReference() {
  std::string text = "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const MetricRow& row : kMetrics) {
    std::string labels = fmt::format("{}", fmt::join(row.label_names(), ", "));
    if (!row.values.empty()) labels += fmt::format(" = {}", fmt::join(row.values, ", "));
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, Name(row.type), labels, row.help);
  }
  return text;
}

}  // namespace neardup
