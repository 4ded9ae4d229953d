#include "html/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>

#include "html/html.h"

namespace neardup {

namespace {

/// A histogram with fewer bins is drawn as wide as this many.
constexpr size_t kHistogramBinsMin = 24;

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

std::string HistogramChart(const Histogram& histogram) {
  return HistogramDrawing(histogram).Draw();
}

}  // namespace neardup
