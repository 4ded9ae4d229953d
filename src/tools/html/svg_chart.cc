#include "html/svg_chart.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

#include "html/html.h"

namespace neardup {

namespace {

constexpr size_t kSeriesMost = 3;
constexpr double kWidth = 760;
constexpr double kTextHeight = 22;

/// A histogram with fewer bins is drawn as wide as this many.
constexpr size_t kHistogramBinsMin = 24;

std::string Ratio(std::optional<double> value) {
  return value ? fmt::format("{:.3f}", *value) : "not defined";
}

std::string Colour(size_t series) { return fmt::format("var(--series-{})", series + 1); }

std::string Text(double x, double y, std::string_view anchor, std::string_view colour,
                 std::string_view text) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"var(--{})\">{}</text>\n", x, y,
      anchor, colour, EscapeHtml(text));
}

std::string GridLine(double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var(--grid)\"/>\n",
      x1, y1, x2, y2);
}

/// A rectangle that shows `title` under the mouse.
std::string Bar(double x, double y, double width, double height, std::string_view colour,
                std::string_view title) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
      "fill=\"{}\"><title>{}</title></rect>\n",
      x, y, width, height, colour, EscapeHtml(title));
}

std::string Legend(std::span<const std::string> names, double x, double y) {
  std::string svg;
  for (size_t i = 0; i < names.size(); ++i) {
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" rx=\"2\" fill=\"{}\"/>\n", x,
        y - 9, Colour(i));
    svg += Text(x + 16, y, "start", "ink", names[i]);
    x += 110;
  }
  return svg;
}

std::string Svg(double width, double height, std::string_view title, std::string_view inside) {
  return fmt::format(
      "<svg viewBox=\"0 0 {:.1f} {:.1f}\" role=\"img\" font-size=\"12\" aria-label=\"{}\">\n"
      "{}</svg>\n",
      width, height, EscapeHtml(title), inside);
}

class HistogramDrawing {
 public:
  explicit HistogramDrawing(const Histogram& histogram) : histogram_(histogram) {
    const std::vector<uint32_t>& bins = histogram.bins;
    assert(!bins.empty());
    const auto last = std::find_if(bins.rbegin(), bins.rend(), [](uint32_t n) { return n > 0; });
    const auto used = bins.size() - static_cast<size_t>(last - bins.rbegin());
    shown_ = std::min(std::max(kHistogramBinsMin, used + 1), bins.size());
    step_ = (kWide - 2 * kLeft) / static_cast<double>(shown_);
    most_ = std::max(1.0, static_cast<double>(*std::max_element(bins.begin(), bins.end())));
  }

  std::string Draw() const {
    std::string svg = GridLine(kLeft, kBottom, kWide - kLeft, kBottom);
    for (size_t bin = 0; bin < shown_; ++bin) svg += DrawBin(bin);
    svg += DrawThreshold();
    for (const Histogram::Mark& mark : histogram_.marks) svg += DrawMark(mark);
    return Svg(kWide, kHeight, histogram_.title, svg);
  }

 private:
  static constexpr double kWide = 860;
  static constexpr double kLeft = 20;
  static constexpr double kTop = 58;
  static constexpr double kBottom = 300;
  static constexpr double kHeight = 350;

  /// Left edge of a bin.
  double x(double bin) const { return kLeft + step_ * bin; }

  std::string DrawBin(size_t bin) const {
    const uint32_t count = histogram_.bins[bin];
    // With the square root, few copies still show beside many other records.
    const double height = (kBottom - kTop) * std::sqrt(count / most_);
    const bool near = static_cast<int>(bin) <= histogram_.threshold;
    const double middle = x(static_cast<double>(bin) + 0.5);
    std::string svg = Bar(middle - step_ * 0.42, kBottom - height, step_ * 0.84, height,
                          near ? "var(--near)" : "var(--other)",
                          fmt::format("{} records at {} {}", count, bin, histogram_.unit));
    if (count > 0) {
      svg += Text(middle, kBottom - height - 4, "middle", "muted", fmt::format("{}", count));
    }
    return svg + Text(middle, kBottom + 16, "middle", "muted", fmt::format("{}", bin));
  }

  std::string DrawThreshold() const {
    const double at = x(histogram_.threshold + 1.0);
    return fmt::format(
               "<line x1=\"{0:.1f}\" y1=\"26\" x2=\"{0:.1f}\" y2=\"{1:.1f}\" "
               "stroke=\"var(--choice)\" stroke-width=\"2\"/>\n",
               at, kBottom) +
           Text(at + 6, 36, "start", "choice", histogram_.threshold_name);
  }

  std::string DrawMark(const Histogram::Mark& mark) const {
    if (mark.bin >= static_cast<int>(shown_)) return "";
    const double middle = x(mark.bin + 0.5);
    return fmt::format("<path d=\"M{:.1f} {:.1f} l5 8 h-10 z\" fill=\"var(--ink)\"/>\n", middle,
                       kBottom + 20) +
           Text(middle, kBottom + 42, "middle", "ink", mark.name);
  }

  const Histogram& histogram_;
  size_t shown_ = 0;  ///< bins
  double step_ = 0;   ///< width of a bin
  double most_ = 1;   ///< records in the fullest bin
};

}  // namespace

std::string BarChart(std::span<const std::string> series, std::span<const BarGroup> groups) {
  assert(series.size() <= kSeriesMost);
  constexpr double kLeft = 190;
  constexpr double kRight = kWidth - 60;
  constexpr double kBar = 14;
  constexpr double kGap = 10;
  std::string svg = Legend(series, kLeft, 14);
  const double group_height = kBar * static_cast<double>(series.size()) + kGap;
  const double height = kTextHeight * 2 + group_height * static_cast<double>(groups.size());
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double x = kLeft + (kRight - kLeft) * quarter / 4;
    svg += GridLine(x, kTextHeight, x, height - kTextHeight);
    svg += Text(x, height - 6, "middle", "muted", fmt::format("{:.2f}", quarter / 4.0));
  }
  double y = kTextHeight + kGap / 2;
  for (const BarGroup& group : groups) {
    const double middle = y + kBar * static_cast<double>(series.size()) / 2;
    svg += Text(kLeft - 10, middle + 4, "end", "ink", group.name);
    for (size_t i = 0; i < series.size(); ++i) {
      const std::optional<double> value = group.values[i];
      const double width = (kRight - kLeft) * value.value_or(0);
      svg += Bar(kLeft, y + 1, width, kBar - 2, Colour(i),
                 fmt::format("{}: {} {}", group.name, series[i], Ratio(value)));
      svg += Text(kLeft + width + 6, y + kBar - 3, "start", "muted", Ratio(value));
      y += kBar;
    }
    y += kGap;
  }
  return Svg(kWidth, height, fmt::format("{}", fmt::join(series, ", ")), svg);
}

std::string LineChart(const std::string& x_name, std::span<const std::string> x_marks,
                      std::span<const Line> lines) {
  assert(lines.size() <= kSeriesMost);
  constexpr double kLeft = 50;
  constexpr double kRight = kWidth - 20;
  constexpr double kTop = 30;
  constexpr double kBottom = 240;
  const double step = (kRight - kLeft) / static_cast<double>(std::max<size_t>(1, x_marks.size()));
  const auto x_of = [&](size_t mark) { return kLeft + step * (static_cast<double>(mark) + 0.5); };
  const auto y_of = [&](double value) { return kBottom - (kBottom - kTop) * value; };
  std::vector<std::string> names;
  for (const Line& line : lines) names.push_back(line.name);
  std::string svg = Legend(names, kLeft, 14);
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double y = y_of(quarter / 4.0);
    svg += GridLine(kLeft, y, kRight, y);
    svg += Text(kLeft - 8, y + 4, "end", "muted", fmt::format("{:.2f}", quarter / 4.0));
  }
  for (size_t i = 0; i < x_marks.size(); ++i) {
    svg += Text(x_of(i), kBottom + 18, "middle", "muted", x_marks[i]);
  }
  svg += Text((kLeft + kRight) / 2, kBottom + 38, "middle", "muted", x_name);
  for (size_t series = 0; series < lines.size(); ++series) {
    std::string points;
    std::string dots;
    for (size_t i = 0; i < x_marks.size(); ++i) {
      const std::optional<double> value = lines[series].values[i];
      if (!value) continue;
      const double x = x_of(i);
      const double y = y_of(*value);
      const std::string title =
          fmt::format("{} at {}: {}", lines[series].name, x_marks[i], Ratio(value));
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>\n", x,
          y, Colour(series), EscapeHtml(title));
    }
    svg +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n{}",
                    points, Colour(series), dots);
  }
  return Svg(kWidth, kBottom + 48, fmt::format("{} by {}", fmt::join(names, ", "), x_name), svg);
}

std::string HistogramChart(const Histogram& histogram) {
  return HistogramDrawing(histogram).Draw();
}

}  // namespace neardup
