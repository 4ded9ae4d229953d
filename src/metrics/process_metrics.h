// The process_* metrics, read from /proc/self when asked for.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <vector>

namespace neardup {

/// Any thread. What /proc does not tell is left out.
class ProcessMetrics : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace neardup
