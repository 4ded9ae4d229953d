#include "report/svg_chart.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

namespace neardup {

namespace {

constexpr size_t kSeriesMost = 3;
constexpr double kWidth = 760;
constexpr double kTextHeight = 22;

std::string Number(double value, const char* format = "%.1f") {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string Ratio(std::optional<double> value) {
  return value ? Number(*value, "%.3f") : "not defined";
}

std::string Text(double x, double y, const char* anchor, const char* colour,
                 const std::string& text) {
  return "<text x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" text-anchor=\"" + anchor +
         "\" fill=\"var(--" + colour + ")\">" + EscapeHtml(text) + "</text>\n";
}

std::string GridLine(double x1, double y1, double x2, double y2) {
  return "<line x1=\"" + Number(x1) + "\" y1=\"" + Number(y1) + "\" x2=\"" + Number(x2) +
         "\" y2=\"" + Number(y2) + "\" stroke=\"var(--grid)\"/>\n";
}

std::string Colour(size_t series) { return "var(--series-" + std::to_string(series + 1) + ")"; }

std::string Legend(std::span<const std::string> names, double x, double y) {
  std::string svg;
  for (size_t i = 0; i < names.size(); ++i) {
    svg += "<rect x=\"" + Number(x) + "\" y=\"" + Number(y - 9) +
           "\" width=\"10\" height=\"10\" rx=\"2\" fill=\"" + Colour(i) + "\"/>\n";
    svg += Text(x + 16, y, "start", "ink", names[i]);
    x += 110;
  }
  return svg;
}

std::string Svg(double height, const std::string& inside) {
  return "<svg viewBox=\"0 0 " + Number(kWidth) + " " + Number(height) +
         "\" role=\"img\" font-size=\"12\">\n" + inside + "</svg>\n";
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
    svg += Text(x, height - 6, "middle", "muted", Number(quarter / 4.0, "%.2f"));
  }
  double y = kTextHeight + kGap / 2;
  for (const BarGroup& group : groups) {
    const double middle = y + kBar * static_cast<double>(series.size()) / 2;
    svg += Text(kLeft - 10, middle + 4, "end", "ink", group.name);
    for (size_t i = 0; i < series.size(); ++i) {
      const std::optional<double> value = group.values[i];
      const double width = (kRight - kLeft) * value.value_or(0);
      svg += "<rect x=\"" + Number(kLeft) + "\" y=\"" + Number(y + 1) + "\" width=\"" +
             Number(width) + "\" height=\"" + Number(kBar - 2) + "\" rx=\"2\" fill=\"" + Colour(i) +
             "\"><title>" + EscapeHtml(group.name + ": " + series[i] + " " + Ratio(value)) +
             "</title></rect>\n";
      svg += Text(kLeft + width + 6, y + kBar - 3, "start", "muted", Ratio(value));
      y += kBar;
    }
    y += kGap;
  }
  return Svg(height, svg);
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
    svg += Text(kLeft - 8, y + 4, "end", "muted", Number(quarter / 4.0, "%.2f"));
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
      const std::string x = Number(x_of(i));
      const std::string y = Number(y_of(*value));
      points += x + "," + y + " ";
      dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"4\" fill=\"" + Colour(series) +
              "\"><title>" +
              EscapeHtml(lines[series].name + " at " + x_marks[i] + ": " + Ratio(value)) +
              "</title></circle>\n";
    }
    svg += "<polyline points=\"" + points + "\" fill=\"none\" stroke=\"" + Colour(series) +
           "\" stroke-width=\"2\"/>\n" + dots;
  }
  return Svg(kBottom + 48, svg);
}

}  // namespace neardup
