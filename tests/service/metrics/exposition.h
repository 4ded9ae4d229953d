// A strict reader of Prometheus' text format, version 0.0.4. It accepts only what a well-behaved
// exporter writes; everything else is an error.
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

/// The families in the order of the text. Each family must have HELP, TYPE, and then only its own
/// samples; names must be legal; a series must appear once; counters must not be negative;
/// histograms must have rising `le`, rising counts, and +Inf equal to _count; the text must end
/// with a line feed. An error names the line.
Result<std::vector<SampleFamily>> ParseExposition(const std::string& text);

/// The value of the series `name{labels}`; asserts that it exists.
double ValueOf(const std::vector<SampleFamily>& families, const std::string& name,
               const std::map<std::string, std::string>& labels = {});
bool HasSeries(const std::vector<SampleFamily>& families, const std::string& name,
               const std::map<std::string, std::string>& labels = {});
size_t CountSeries(const std::vector<SampleFamily>& families);

}  // namespace neardup
