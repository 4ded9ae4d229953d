// The process_* metrics, read from /proc/self.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace neardup {

/// The values now; any thread may ask. Leaves out metrics that /proc does not tell.
std::vector<prometheus::MetricFamily> ProcessMetrics();

}  // namespace neardup
