// Charts as inline SVG for the pages of html.h, whose style sheet defines the colours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace neardup {

/// One bar for each series; each value is a ratio (0 to 1), or nullopt: "not defined".
struct BarGroup {
  std::string name;
  std::vector<std::optional<double>> values;
};
/// Horizontal bars in groups. At most three series.
std::string BarChart(std::span<const std::string> series, std::span<const BarGroup> groups);

/// One ratio (0 to 1) for each mark of the x axis; nullopt leaves the point out.
struct Line {
  std::string name;
  std::vector<std::optional<double>> values;
};
/// Lines through the points that are defined. At most three.
std::string LineChart(const std::string& x_name, std::span<const std::string> x_marks,
                      std::span<const Line> lines);

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
