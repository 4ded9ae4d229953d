#include "explain/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "detect/base/quantity.h"

namespace neardup {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --page: #fff; --ink: #1a1a1a; --muted: #5f5f5f; --grid: #ddd;
        --heat: 42, 120, 214;
        --near: #2a78d6; --other: #b9b9b9; --choice: #b3401a; --box: #f5f6f8;
        --gone: #fbd9cc; --new: #cdeedd; }
@media (prefers-color-scheme: dark) {
  :root { --page: #171717; --ink: #eee; --muted: #a8a8a8; --grid: #3a3a3a;
          --heat: 57, 135, 229;
          --near: #4b95ea; --other: #5c5c5c; --choice: #f08a5d; --box: #222426;
          --gone: #6b2f1c; --new: #1d4f37; }
}
body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
       max-width: 960px; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.8rem 0 .5rem; }
p { margin: .4rem 0; } .muted { color: var(--muted); }
.wide { overflow-x: auto; }
svg { width: 100%; height: auto; font-family: inherit; margin-top: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top;
         border-bottom: 1px solid var(--grid); overflow-wrap: normal; }
th { color: var(--muted); font-weight: 500; }
.number { text-align: right; white-space: nowrap; padding-left: .4rem; }
.verdict { background: var(--box); border-left: 4px solid var(--near); padding: .8rem 1.1rem;
           border-radius: 4px; }
.verdict.exact, .verdict.unclear { border-color: var(--choice); }
.verdict strong { font-size: 1.25rem; }
.pair { background: var(--box); border-radius: 4px; padding: .5rem .8rem; margin: .5rem 0; }
.pair p + p { border-top: 1px solid var(--grid); padding-top: .4rem; }
.line { color: var(--muted); font-size: .85em; margin-right: .6em; }
del, ins { text-decoration: none; border-radius: 3px; padding: 0 .1em; }
del { background: var(--gone); } ins { background: var(--new); }
.joined { color: var(--near); } .apart { color: var(--muted); }
)";

std::string Element(std::string_view name, const HtmlColumn& column, const HtmlCell& cell) {
  const std::string_view css_class = column.number ? " class=\"number\"" : "";
  const std::string style =
      cell.heat ? fmt::format(" style=\"background: rgba(var(--heat), {:.3f})\"", 0.45 * *cell.heat)
                : "";
  return fmt::format("<{0}{1}{2}>{3}</{0}>", name, css_class, style, EscapeHtml(cell.text));
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string HtmlParagraph(std::string_view text, std::string_view css_class) {
  return css_class.empty() ? fmt::format("<p>{}</p>\n", EscapeHtml(text))
                           : fmt::format("<p class=\"{}\">{}</p>\n", css_class, EscapeHtml(text));
}

std::string HtmlPage(std::string_view title, std::string_view body) {
  return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title>
<style>{1}</style>
</head>
<body>
<h1>{0}</h1>
{2}</body>
</html>
)",
                     EscapeHtml(title), kStyle, body);
}

std::string_view HtmlStyle() { return kStyle; }

HtmlTable::HtmlTable(std::vector<HtmlColumn> columns) : columns_(std::move(columns)) {}

void HtmlTable::AddRow(const std::vector<HtmlCell>& cells) {
  assert(cells.size() == columns_.size());
  rows_ += "<tr>";
  for (size_t i = 0; i < cells.size(); ++i) rows_ += Element("td", columns_[i], cells[i]);
  rows_ += "</tr>\n";
}

std::string HtmlTable::Html() const {
  std::string headings;
  for (const HtmlColumn& column : columns_) headings += Element("th", column, column.heading);
  return fmt::format("<div class=\"wide\"><table>\n<tr>{}</tr>\n{}</table></div>\n", headings,
                     rows_);
}

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
    most_ = std::max(1.0, static_cast<double>(*std::ranges::max_element(bins)));
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

std::string StackedBarsChart(const StackedBars& chart) {
  constexpr double kWide = 860;
  constexpr double kTop = 30;
  constexpr double kBottom = 150;
  std::string svg;
  double x = 0;
  for (const StackedBars::Series& series : chart.series) {
    svg += Bar(x, 0, 12, 12, fmt::format("var(--{})", series.colour), series.name);
    svg += Text(x + 18, 11, "start", "muted", series.name);
    x += 140;
  }
  const auto sum = [](const StackedBars::Stack& stack) {
    return std::accumulate(stack.counts.begin(), stack.counts.end(), uint64_t{0});
  };
  uint64_t most = 1;
  for (const StackedBars::Stack& stack : chart.stacks) most = std::max(most, sum(stack));
  const double step = std::min(40.0, kWide / static_cast<double>(chart.stacks.size()));
  x = 0;
  for (const StackedBars::Stack& stack : chart.stacks) {
    double bottom = kBottom;
    for (size_t i = 0; i < chart.series.size(); ++i) {
      if (stack.counts[i] == 0) continue;
      const double height =
          (kBottom - kTop) * static_cast<double>(stack.counts[i]) / static_cast<double>(most);
      bottom -= height;
      svg +=
          Bar(x, bottom, step * 0.84, height, fmt::format("var(--{})", chart.series[i].colour),
              fmt::format("{}: {} {}", stack.name, Grouped(stack.counts[i]), chart.series[i].name));
    }
    x += step;
  }
  return Svg(kWide, kBottom, chart.title, svg + GridLine(0, kBottom, kWide, kBottom));
}

}  // namespace neardup
