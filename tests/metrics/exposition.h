// A strict reader of Prometheus' text format, version 0.0.4. It knows only what a well-behaved
// exporter writes, and calls everything else an error.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

struct Sample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};

struct SampleFamily {
  std::string name;
  std::string help;
  std::string type;
  std::vector<Sample> samples;
};

/// Families in their order. Demands: HELP, TYPE, then samples of that family only; legal names; no
/// series twice; counters not negative; histograms with rising `le`, rising counts and +Inf ==
/// _count; a line feed at the end.
Result<std::vector<SampleFamily>> ParseExposition(const std::string& text);

/// Value of the series `name{labels}`; asserts that it exists.
double ValueOf(const std::vector<SampleFamily>& families, const std::string& name,
               const std::map<std::string, std::string>& labels = {});
bool HasSeries(const std::vector<SampleFamily>& families, const std::string& name,
               const std::map<std::string, std::string>& labels = {});
size_t CountSeries(const std::vector<SampleFamily>& families);

}  // namespace neardup
