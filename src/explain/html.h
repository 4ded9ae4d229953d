// Building blocks of the HTML pages that neardup writes: escaping, tables, and the page with its
// style. A page needs nothing from outside: no script, no font, no picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace neardup {

/// The text with &, <, > and " written as entities: safe inside elements and attributes.
std::string EscapeHtml(std::string_view text);

/// A paragraph of plain text, which is escaped.
std::string HtmlParagraph(std::string_view text, std::string_view css_class = "");

/// A whole page: a heading with the title, which is escaped, then `body`, which is HTML.
/// The style sheet defines the colours of svg_chart.h and these classes:
///   muted          explanations
///   verdict        a box for the result; add `exact` or `unclear` for the colour of a warning
///   pair, line     a box with two texts, and the record's number before each; <del> and <ins>
///                  mark the words that differ
///   joined, apart  what becomes of pairs
std::string HtmlPage(std::string_view title, std::string_view body);
/// The text of the only style element of a page, for a content security policy.
std::string_view HtmlStyle();

struct HtmlColumn {
  std::string heading;
  bool number = false;  ///< aligned to the right
};

struct HtmlCell {
  HtmlCell(std::string cell_text) : text(std::move(cell_text)) {}  // NOLINT(*explicit*)
  HtmlCell(const char* cell_text) : text(cell_text) {}             // NOLINT(*explicit*)
  HtmlCell(std::string cell_text, std::optional<double> cell_heat)
      : text(std::move(cell_text)), heat(cell_heat) {}

  std::string text;            ///< plain text, which is escaped
  std::optional<double> heat;  ///< 0 to 1; the larger, the darker the background
};

/// A table that scrolls sideways where the page is narrower.
/// Example: HtmlTable table({{"scheme"}, {"recall", true}});
///          table.AddRow({"md5", HtmlCell("0.250", 0.25)});
///          page += table.Html();
class HtmlTable {
 public:
  explicit HtmlTable(std::vector<HtmlColumn> columns);

  /// One cell for each column.
  void AddRow(const std::vector<HtmlCell>& cells);
  std::string Html() const;

 private:
  std::vector<HtmlColumn> columns_;
  std::string rows_;
};

// A chart as inline SVG for the pages of html.h, whose style sheet defines the colours.

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

/// Bars side by side, each of several counts on top of one another.
struct StackedBars {
  struct Series {
    std::string name;
    std::string colour;  ///< a variable of the style sheet
  };
  struct Stack {
    std::string name;              ///< shown under the mouse
    std::vector<uint64_t> counts;  ///< one for each series
  };

  std::string title;  ///< for readers that see no picture
  std::vector<Series> series;
  std::vector<Stack> stacks;
};
std::string StackedBarsChart(const StackedBars& chart);

}  // namespace neardup
