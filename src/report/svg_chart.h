// Charts of ratios (0 to 1) as inline SVG. Colours are the CSS variables --series-1 to --series-3,
// --ink, --muted and --grid of the page.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// Replaces what has a meaning in HTML.
std::string EscapeHtml(std::string_view text);

/// A bar for each series, at most three, in each of these groups. nullopt: "not defined".
struct BarGroup {
  std::string name;
  std::vector<std::optional<double>> values;
};
std::string BarChart(std::span<const std::string> series, std::span<const BarGroup> groups);

/// A line through the points that are defined; at most three series over the same marks of x.
struct Line {
  std::string name;
  std::vector<std::optional<double>> values;
};
std::string LineChart(const std::string& x_name, std::span<const std::string> x_marks,
                      std::span<const Line> lines);

}  // namespace neardup
