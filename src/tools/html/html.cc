#include "html/html.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

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

}  // namespace neardup
