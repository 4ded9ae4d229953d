#include "report/tune_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "record/field_extractor.h"
#include "report/svg_chart.h"
#include "report/tune_summary.h"
#include "report/word_difference.h"

namespace neardup {

namespace {

constexpr double kWidth = 860;
constexpr double kLeft = 20;
constexpr double kTop = 58;
constexpr double kBottom = 300;
constexpr double kHeight = 350;
constexpr size_t kBinsMin = 24;

std::string Number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string Text(double x, double y, const char* anchor, const char* colour,
                 const std::string& text) {
  return "<text x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" text-anchor=\"" + anchor +
         "\" fill=\"var(--" + colour + ")\">" + text + "</text>\n";
}

class Histogram {
 public:
  explicit Histogram(const Tuning& tuning)
      : bins_(tuning.calibration.structure.nearest), chosen_(tuning.proposed.match.distance_max) {
    // Without a distance only equal records are joined, and those are not in here.
    if (chosen_ == 0) chosen_ = -1;
    const auto last = std::find_if(bins_.rbegin(), bins_.rend(), [](uint32_t n) { return n > 0; });
    shown_ = std::max(kBinsMin, bins_.size() - static_cast<size_t>(last - bins_.rbegin()) + 1);
    shown_ = std::min(shown_, bins_.size());
    step_ = (kWidth - 2 * kLeft) / static_cast<double>(shown_);
    most_ = std::max(1.0, static_cast<double>(*std::max_element(bins_.begin(), bins_.end())));
  }

  /// Left edge of a bin.
  double x(double bin) const { return kLeft + step_ * bin; }

  std::string Bars() const {
    std::string svg;
    for (size_t bin = 0; bin < shown_; ++bin) {
      // Heights by the square root, or few copies would not show beside many other records.
      const double height = (kBottom - kTop) * std::sqrt(bins_[bin] / most_);
      const bool near = static_cast<int>(bin) <= chosen_;
      const double middle = x(static_cast<double>(bin) + 0.5);
      const std::string count = std::to_string(bins_[bin]);
      svg += "<rect x=\"" + Number(middle - step_ * 0.42) + "\" y=\"" + Number(kBottom - height) +
             "\" width=\"" + Number(step_ * 0.84) + "\" height=\"" + Number(height) +
             "\" rx=\"2\" fill=\"var(--" + (near ? "near" : "other") + ")\"><title>" + count +
             " records at " + std::to_string(bin) + " bits</title></rect>\n";
      if (bins_[bin] > 0) svg += Text(middle, kBottom - height - 4, "middle", "muted", count);
      svg += Text(middle, kBottom + 16, "middle", "muted", std::to_string(bin));
    }
    return svg;
  }

  /// The line right of the largest distance that is accepted, named.
  std::string Choice() const {
    const double at = x(chosen_ + 1.0);
    return "<line x1=\"" + Number(at) + "\" y1=\"26\" x2=\"" + Number(at) + "\" y2=\"" +
           Number(kBottom) + "\" stroke=\"var(--choice)\" stroke-width=\"2\"/>\n" +
           Text(at + 6, 36, "start", "choice",
                chosen_ < 0
                    ? "only equal records are joined"
                    : "distance_max " + std::to_string(chosen_) + ": left of this line is joined");
  }

  /// A mark below the axis.
  std::string Mark(int bin, const std::string& name) const {
    if (bin >= static_cast<int>(shown_)) return "";
    const double middle = x(bin + 0.5);
    return "<path d=\"M" + Number(middle) + " " + Number(kBottom + 20) + " l5 8 h-10 z\" " +
           "fill=\"var(--ink)\"/>\n" + Text(middle, kBottom + 42, "middle", "ink", name);
  }

 private:
  const std::vector<uint32_t>& bins_;
  int chosen_;
  size_t shown_ = 0;
  double step_ = 0;
  double most_ = 1;
};

}  // namespace

std::string NearestChart(const Tuning& tuning) {
  const Histogram histogram(tuning);
  const Gap& gap = tuning.calibration.gap;
  std::string svg = "<svg viewBox=\"0 0 " + Number(kWidth) + " " + Number(kHeight) +
                    "\" role=\"img\" font-size=\"11\" aria-label=\"Histogram of the distance of "
                    "each record to the nearest before it\">\n";
  svg += "<line x1=\"" + Number(kLeft) + "\" y1=\"" + Number(kBottom) + "\" x2=\"" +
         Number(kWidth - kLeft) + "\" y2=\"" + Number(kBottom) + "\" stroke=\"var(--grid)\"/>\n";
  svg += histogram.Bars() + histogram.Choice();
  if (tuning.calibration.mode == MatchMode::kNear && gap.at < gap.unrelated) {
    svg += histogram.Mark(gap.at, "emptiest place");
  }
  svg += histogram.Mark(gap.unrelated, "unrelated records");
  return svg + "</svg>\n";
}

namespace {

constexpr const char* kIntroduction =
    "<h2>Pairs at each distance</h2>\n"
    "<p class=\"muted\">Records and the nearest before them: what they differ in is marked. What "
    "is joined should be copies of each other, what is kept apart something else. If you would "
    "draw "
    "the line elsewhere, change match.distance_max.</p>\n";

std::string SideHtml(const char* mark, int64_t line, const std::vector<TextStretch>& side) {
  std::string html = "<p><span class=\"line\">record " + std::to_string(line) + "</span>";
  for (const TextStretch& stretch : side) {
    const std::string text = EscapeHtml(stretch.text);
    html += stretch.differs ? std::string("<") + mark + ">" + text + "</" + mark + ">" : text;
  }
  return html + "</p>\n";
}

/// What becomes of most pairs at this distance: that of one sketch is a bit or two off the mean.
const char* FateOf(int distance, const MatchOptions& match) {
  // Two or more text keys allow this much more.
  constexpr int kWidenedBits = 4;
  if (match.distance_max > 0 && distance <= match.distance_max) {
    return "<span class=\"joined\">joined</span>";
  }
  if (match.widen && distance <= match.distance_max + kWidenedBits) {
    return "<span class=\"joined\">joined where they share phrases</span>";
  }
  return "<span class=\"apart\">kept apart</span>";
}

class PairWriter {
 public:
  PairWriter(const Tuning& tuning, std::span<const RecordView> records)
      : records_(records), extractor_(tuning.proposed.record) {}

  std::string Html(const SamplePair& pair) {
    const WordDifference difference = CompareWords(TextAt(pair.earlier), TextAt(pair.later));
    return "<div class=\"pair\">\n" + SideHtml("del", pair.earlier.offset + 1, difference.earlier) +
           SideHtml("ins", pair.later.offset + 1, difference.later) + "</div>\n";
  }

 private:
  /// The texts that are compared, one after the other.
  std::string TextAt(const Position& position) {
    std::string text;
    const RecordView& record = records_[static_cast<size_t>(position.offset)];
    for (const TextPiece& piece : extractor_.Extract(record).pieces) {
      text += (text.empty() ? "" : " | ") + std::string(piece.text);
    }
    return text;
  }

  std::span<const RecordView> records_;
  FieldExtractor extractor_;
};

}  // namespace

std::string PairsHtml(const Tuning& tuning, std::span<const RecordView> records) {
  PairWriter writer(tuning, records);
  std::string html = kIntroduction;
  for (size_t distance = 0; distance < tuning.pairs.size(); ++distance) {
    html += "<h3>" + std::to_string(distance) + (distance == 1 ? " bit " : " bits ") +
            FateOf(static_cast<int>(distance), tuning.proposed.match) + "</h3>\n";
    if (tuning.pairs[distance].empty()) html += "<p class=\"muted\">No record of the sample.</p>\n";
    for (const SamplePair& pair : tuning.pairs[distance]) html += writer.Html(pair);
  }
  return html;
}

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
