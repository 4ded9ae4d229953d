#include "app/tune_page.h"

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/totals.h"
#include "app/tune_charts.h"
#include "app/tune_pairs.h"
#include "app/tune_proposals.h"
#include "app/tune_summary.h"
#include "evaluate/svg_chart.h"

namespace neardup {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>neardup tune</title>
<style>
:root { color-scheme: light dark; --page: #fff; --ink: #1a1a1a; --muted: #5f5f5f; --grid: #ddd;
        --near: #2a78d6; --other: #b9b9b9; --choice: #b3401a; --box: #f5f6f8;
        --gone: #fbd9cc; --new: #cdeedd; }
@media (prefers-color-scheme: dark) {
  :root { --page: #171717; --ink: #eee; --muted: #a8a8a8; --grid: #3a3a3a;
          --near: #4b95ea; --other: #5c5c5c; --choice: #f08a5d; --box: #222426;
          --gone: #6b2f1c; --new: #1d4f37; }
}
body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
       max-width: 960px; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.8rem 0 .5rem; }
p { margin: .4rem 0; } .muted { color: var(--muted); }
.wide { overflow-x: auto; }
svg { width: 100%; height: auto; font-family: inherit; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top;
         border-bottom: 1px solid var(--grid); overflow-wrap: normal; }
th { color: var(--muted); font-weight: 500; }
td.number { text-align: right; } td.number, .chance td { white-space: nowrap; }
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
</style>
</head>
<body>
<h1>neardup tune</h1>
)";

std::string Number(double value, const char* format) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string Paragraph(const std::string& text, const char* style = "") {
  return std::string("<p class=\"") + style + "\">" + EscapeHtml(text) + "</p>\n";
}

std::string Cell(const std::string& text) { return "<td>" + EscapeHtml(text) + "</td>"; }
std::string NumberCell(const std::string& text) {
  return "<td class=\"number\">" + EscapeHtml(text) + "</td>";
}

std::string Proposals(const Tuning& tuning) {
  std::string html;
  for (const TuneProposal& proposal : ProposalsOf(tuning)) {
    html += Paragraph("Proposed for " + std::string(proposal.setting) + ": " + proposal.text + ".");
  }
  return html;
}

std::string VerdictBox(const Tuning& tuning, const TuneFiles& files) {
  return std::string("<div class=\"verdict ") + Name(tuning.calibration.mode) + "\">\n<p><strong>" +
         EscapeHtml(ModeText(tuning)) + "</strong></p>\n" +
         Paragraph("Because: " + tuning.calibration.reason + ".") +
         Paragraph("How sure: " + SureText(tuning) + ".") +
         Paragraph("Near copies: " + NearText(tuning) + ".") +
         Paragraph("By chance: " + FalseMatchText(tuning) + ".") + Proposals(tuning) + "</div>\n" +
         Paragraph("Sample: " + files.sample + ", " + SampleText(tuning) + ".", "muted") +
         Paragraph("Written: " + files.config.string() + " and " + files.model.string() + ".",
                   "muted");
}

std::string ChanceTable(const Tuning& tuning) {
  const Calibration& calibration = tuning.calibration;
  std::string html =
      "<h3>Matches by chance</h3>\n" +
      Paragraph("Share of unrelated records that would be called duplicates of something, with " +
                    Grouped(tuning.proposed.window.entries_max) +
                    " unique records in the window. Accepted is what stays below 1 %: at most "
                    "distance " +
                    std::to_string(calibration.window_distance_max) +
                    ". A larger window (--window) wants a smaller distance.",
                "muted") +
      "<div class=\"wide\"><table class=\"chance\">\n<tr><th>distance_max</th>";
  for (size_t distance = 0; distance < calibration.false_match_rates.size(); ++distance) {
    html += "<th>" + std::to_string(distance) + "</th>";
  }
  html += "</tr>\n<tr><td>by chance, %</td>";
  for (const double rate : calibration.false_match_rates) {
    html += Cell(rate < 1e-5 ? "0" : rate >= 1 ? "100" : Number(100 * rate, "%.2g"));
  }
  return html + "</tr>\n</table></div>\n";
}

std::string Distances(const Tuning& tuning) {
  return "<h2>Distances</h2>\n" +
         Paragraph(
             "For each record the nearest one before it, by the mean of eight SimHashes in bits of "
             "64: 0 is the same words, unrelated texts have 20 and more, the nearest of many "
             "unrelated ones less. Equal records are left out. Heights grow with the square root "
             "of the count.",
             "muted") +
         NearestChart(tuning) + ChanceTable(tuning);
}

std::string Fields(const Tuning& tuning) {
  std::string html =
      "<h2>Fields</h2>\n" +
      Paragraph(tuning.fields_given
                    ? "The fields to compare were given; what the sample says of all fields:"
                    : "Proposed from the sample. What is left out may still tell records apart: "
                      "name the fields with --fields if you know better.",
                "muted") +
      "<div class=\"wide\"><table>\n<tr><th>field</th><th>compared</th><th>why</th>"
      "<th>present</th><th>distinct</th><th>tokens</th><th>bytes</th></tr>\n";
  for (const StudiedField& field : tuning.fields) {
    const FieldFacts& facts = field.facts;
    const std::string doubt = DoubtAbout(tuning, field);
    const bool listed = IsSelected(tuning.proposed.record, facts.path);
    html += "<tr>" + Cell(facts.path) + Cell(listed ? "yes" : "no") +
            Cell(field.reason + (doubt.empty() ? "" : " (" + doubt + ")")) +
            NumberCell(PercentText(facts.present)) + NumberCell(PercentText(facts.distinct)) +
            NumberCell(Number(facts.tokens_mean, "%.1f")) +
            NumberCell(Number(facts.bytes_mean, "%.0f")) + "</tr>\n";
  }
  html += "</table></div>\n";
  if (tuning.fields_left_out > 0) {
    html += Paragraph("More than " + std::to_string(FieldStudy::kFieldsMax) +
                      " fields: the others were not studied.");
  }
  return html;
}

}  // namespace

std::string TunePage(const Tuning& tuning, const TuneFiles& files,
                     std::span<const RecordView> records) {
  return kHead + VerdictBox(tuning, files) + Distances(tuning) + Fields(tuning) +
         PairsHtml(tuning, records) + "</body>\n</html>\n";
}

}  // namespace neardup
