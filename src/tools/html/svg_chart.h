// A chart as inline SVG for the pages of html.h, whose style sheet defines the colours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace neardup {

/// A histogram that is cut in two at a threshold.
struct Histogram {
  /// A name below the axis, at a bin.
  struct Mark {
    int bin;
    std::string name;
  };

  std::string title;           ///< for readers that see no picture
  std::string unit;            ///< of the bins, in the plural
  std::vector<uint32_t> bins;  ///< records in each bin; at least one bin
  int threshold = -1;          ///< bins up to this one are highlighted; -1: none
  std::string threshold_name;  ///< stands at the line right of the threshold
  std::vector<Mark> marks;
};
/// Empty bins at the right end are left out. The heights grow with the square root of the counts.
std::string HistogramChart(const Histogram& histogram);

}  // namespace neardup
