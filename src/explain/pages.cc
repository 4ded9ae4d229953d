#include "explain/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/base/quantity.h"
#include "detect/index/match.h"
#include "detect/record/field_extractor.h"
#include "explain/html.h"
#include "learn/words.h"

namespace neardup {
namespace {

constexpr size_t kPullsOnPage = 100;

std::string Heading(std::string_view text) {
  return fmt::format("<h2>{}</h2>\n", EscapeHtml(text));
}

std::string Marked(const std::vector<TextStretch>& stretches, std::string_view element) {
  std::string html;
  for (const TextStretch& stretch : stretches) {
    const std::string text = EscapeHtml(stretch.text);
    html += stretch.differs ? fmt::format("<{0}>{1}</{0}>", element, text) : text;
  }
  return html;
}

std::string Line(const std::string& name, const std::string& html) {
  return fmt::format("<p><span class=\"line\">{}</span>{}</p>\n", EscapeHtml(name), html);
}

std::string Texts(const ExplainReport& report) {
  std::string html = Heading("Compared texts");
  for (const TextPlace& place : TextPlaces(report.explained)) {
    const ExplainedText& any = place.any();
    html += fmt::format("<h3>{}{}{}{}</h3>\n<div class=\"pair\">\n",
                        EscapeHtml(any.path.empty() ? "the whole record" : any.path),
                        any.key ? " (key field)" : "",
                        any.weight == 1 ? "" : fmt::format(" (weight {:g})", any.weight),
                        place.equal() ? ": equal" : "");
    const WordDifference difference = CompareWords(place.a == nullptr ? "" : place.a->text,
                                                   place.b == nullptr ? "" : place.b->text);
    html += Line(report.a, Marked(difference.earlier, "del"));
    if (!place.equal()) html += Line(report.b, Marked(difference.later, "ins"));
    html += "</div>\n";
  }
  return html;
}

std::string Pulls(const ExplainReport& report, const SketchDifference& difference,
                  const std::string& heading, const std::string& sketch) {
  if (difference.bits.empty()) return "";
  std::string html = Heading(fmt::format("{} that make the {} differing bits of the {}", heading,
                                         difference.bits.size(), sketch));
  HtmlTable table({{heading}, {"in " + report.a, true}, {"in " + report.b, true}, {"bits", true}});
  const double most = difference.pulls.empty() ? 1 : std::max(difference.pulls[0].bits, 1e-9);
  const auto cell = [](uint32_t count, uint64_t weight) {
    return count == 0 ? std::string("-")
                      : fmt::format("{} times, weight {}", count, Grouped(weight));
  };
  for (size_t i = 0; i < std::min(difference.pulls.size(), kPullsOnPage); ++i) {
    const WordPull& pull = difference.pulls[i];
    table.AddRow({pull.text, cell(pull.count_a, pull.weight_a), cell(pull.count_b, pull.weight_b),
                  HtmlCell(fmt::format("{:.2f}", pull.bits), pull.bits / most)});
  }
  if (difference.model_bits > 0) {
    table.AddRow({"the model's centre", "", "", fmt::format("{:.2f}", difference.model_bits)});
  }
  html += table.Html();
  if (difference.pulls.size() > kPullsOnPage) {
    html += HtmlParagraph(fmt::format("{} more", difference.pulls.size() - kPullsOnPage), "muted");
  }
  return html;
}

std::string Limits(const ExplainReport& report) {
  const std::vector<LimitRow> rows = LimitRows(report);
  if (rows.empty()) return "";
  HtmlTable table({{"bits that differ, of 64"}, {"found", true}, {"limit from"}});
  for (const LimitRow& row : rows) table.AddRow({row.name, row.measured, row.why});
  return Heading("Distances") + table.Html();
}

std::string Changes(const ExplainReport& report) {
  std::string html = Heading("What would change the verdict");
  if (report.explained.changes.empty()) {
    return html + HtmlParagraph(
                      "No single change of fields, masks, mode or distance gives another verdict.");
  }
  HtmlTable table({{"change"}, {"verdict"}});
  for (const VerdictChange& change : report.explained.changes) {
    table.AddRow({ChangeText(change), VerdictName(change.verdict)});
  }
  return html + table.Html();
}

}  // namespace

std::string ExplainPage(const ExplainReport& report) {
  const bool duplicate = report.explained.verdict.decision == Decision::kDuplicate;
  std::string body = fmt::format("<div class=\"verdict{}\"><strong>{}</strong>\n{}</div>\n",
                                 duplicate ? "" : " unclear", EscapeHtml(VerdictSentence(report)),
                                 HtmlParagraph(ReasonSentence(report)));
  for (const std::string& note : report.notes) body += HtmlParagraph(note, "muted");
  body += Limits(report) + Texts(report);
  if (HaveDistance(report)) {
    std::string phrases;
    for (const ExplainedKey& key : report.explained.shared_keys) {
      phrases += (phrases.empty() ? "" : "; ") + key.words;
    }
    body += HtmlParagraph("Shared phrases (text keys): " + (phrases.empty() ? "none" : phrases));
    body += Pulls(report, report.explained.words, "Words", "simhash");
    body += Pulls(report, report.explained.pairs, "Pairs of words", "order");
  }
  return HtmlPage(fmt::format("{} and {}", report.a, report.b), body + Changes(report));
}

namespace {

std::string VerdictBox(const Tuning& tuning, const TuneFiles& files) {
  std::string html = fmt::format("<div class=\"verdict {}\">\n<p><strong>{}</strong></p>\n",
                                 Name(tuning.calibration.mode), EscapeHtml(ModeText(tuning))) +
                     HtmlParagraph(fmt::format("Reason: {}.", tuning.calibration.reason)) +
                     HtmlParagraph(fmt::format("Measured: {}.", MeasuredText(tuning))) +
                     HtmlParagraph(fmt::format("Near copies: {}.", NearCopiesText(tuning)));
  const std::string chance = ChanceText(tuning);
  if (!chance.empty()) html += HtmlParagraph(fmt::format("Chance matches: {}.", chance));
  for (const TuneProposal& proposal : ProposalsOf(tuning)) {
    html += HtmlParagraph(fmt::format("Proposed for {}: {}.", proposal.setting, proposal.text));
  }
  return html + "</div>\n" +
         HtmlParagraph(fmt::format("Sample: {}, {}.", files.sample, SampleText(tuning)), "muted") +
         HtmlParagraph(
             fmt::format("Files written: {} and {}.", files.config.string(), files.model.string()),
             "muted");
}

std::string NearestChart(const Tuning& tuning) {
  const Valley& valley = tuning.calibration.valley;
  const int distance_max = LikenessMax(tuning.proposed.match);
  Histogram histogram;
  histogram.title = "Histogram of the distance of each record to the nearest earlier record";
  histogram.unit = "bits";
  histogram.bins = tuning.calibration.neighbours.nearest;
  if (distance_max > 0) {
    histogram.threshold = distance_max;
    histogram.threshold_name =
        fmt::format("{}: pairs left of this line are joined", LimitText(tuning.proposed.match));
  } else {
    // The histogram leaves equal records out, so that nothing in it is joined.
    histogram.threshold = -1;
    histogram.threshold_name = "only equal records are joined";
  }
  if (tuning.calibration.mode == MatchMode::kNear && valley.middle < valley.unrelated) {
    histogram.marks.push_back({valley.middle, "valley"});
  }
  histogram.marks.push_back({valley.unrelated, "unrelated records"});
  return HistogramChart(histogram);
}

std::string ChanceTable(const Tuning& tuning) {
  const Calibration& calibration = tuning.calibration;
  std::vector<HtmlColumn> columns = {{"distance_max"}};
  std::vector<HtmlCell> cells = {"chance matches, %"};
  for (size_t distance = 0; distance < calibration.false_match_rates.size(); ++distance) {
    const double rate = calibration.false_match_rates[distance];
    columns.push_back({fmt::format("{}", distance), true});
    cells.emplace_back(rate < 1e-5 ? "0" : rate >= 1 ? "100" : fmt::format("{:.2g}", 100 * rate));
  }
  HtmlTable table(std::move(columns));
  table.AddRow(cells);
  return "<h3>Chance matches</h3>\n" +
         HtmlParagraph(
             fmt::format("The share of unrelated records that would be called a duplicate of some "
                         "other record, although they share no rare phrase, while the window "
                         "holds {} unique records. Shares up to 0.01 % are accepted, which allows "
                         "such records a distance of at most {}. A larger window "
                         "(--window-entries) needs a smaller distance.",
                         Grouped(tuning.proposed.window.entries_max),
                         calibration.window_distance_max),
             "muted") +
         table.Html();
}

std::string Distances(const Tuning& tuning) {
  return "<h2>Distances</h2>\n" +
         HtmlParagraph(
             "Each record is counted once, at the distance to its nearest earlier record. The "
             "distance is the mean over several SimHashes of 64 bits. At 0 bits the words are the "
             "same. Two unrelated texts usually differ in 20 bits or more, but the nearest of many "
             "unrelated texts may be closer. Equal records are left out. The heights grow with the "
             "square root of the counts.",
             "muted") +
         NearestChart(tuning) + ChanceTable(tuning);
}

std::string Fields(const Tuning& tuning) {
  HtmlTable table({{"field"},
                   {"use"},
                   {"why"},
                   {"present", true},
                   {"distinct", true},
                   {"tokens", true},
                   {"bytes", true}});
  for (const StudiedField& field : tuning.fields) {
    const FieldFacts& facts = field.facts;
    const std::string doubt = DoubtAbout(tuning, field);
    table.AddRow({facts.path, UseOf(tuning.proposed.record, facts.path),
                  doubt.empty() ? field.reason : fmt::format("{} ({})", field.reason, doubt),
                  PercentText(facts.present), PercentText(facts.distinct),
                  fmt::format("{:.1f}", facts.tokens_mean),
                  fmt::format("{:.0f}", facts.bytes_mean)});
  }
  const char* introduction =
      tuning.fields_given
          ? "You named the fields to compare. The table says what the sample shows of all fields."
          : "The fields to compare are proposed from the sample. A field that is left out may "
            "still tell records apart: if you know better, name the fields with --fields.";
  std::string html = "<h2>Fields</h2>\n" + HtmlParagraph(introduction, "muted") + table.Html();
  if (tuning.fields_left_out > 0) {
    html += HtmlParagraph(
        fmt::format("The sample has more than {} fields. The others were not studied.",
                    FieldStudy::kFieldsMax));
  }
  return html;
}

/// What happens to most pairs at this distance. The filter measures one SimHash, which may be a bit
/// or two off the mean of several that is shown.
std::string_view FateOf(int distance, const MatchOptions& match) {
  const int distance_max = LikenessMax(match);
  if (distance_max > 0 && distance <= distance_max) {
    return "<span class=\"joined\">joined</span>";
  }
  if (match.widen && distance <= distance_max + kBitsPerKey * kWideningKeysMax) {
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
    const auto line = [](const Position& position, const std::string& html) {
      return Line(fmt::format("record {}", position.offset + 1), html);
    };
    return "<div class=\"pair\">\n" + line(pair.earlier, Marked(difference.earlier, "del")) +
           line(pair.later, Marked(difference.later, "ins")) + "</div>\n";
  }

 private:
  /// The texts of all compared fields.
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

std::string Questions(const Tuning& tuning, std::span<const RecordView> records) {
  if (tuning.questions.empty()) return "";
  PairWriter writer(tuning, records);
  std::string html = "<h2>Questions</h2>\n";
  for (size_t i = 0; i < tuning.questions.size(); ++i) {
    html += HtmlParagraph(fmt::format("{}.", tuning.questions[i]));
    if (i >= tuning.field_questions.size()) continue;
    const FieldQuestion& question = tuning.field_questions[i];
    html += writer.Html({question.earlier, question.later});
  }
  return html + HtmlParagraph(fmt::format("{}.", kMarksText), "muted");
}

std::string Pairs(const Tuning& tuning, std::span<const RecordView> records) {
  PairWriter writer(tuning, records);
  std::string html =
      "<h2>Pairs at each distance</h2>\n" +
      HtmlParagraph(
          "Each pair is a record and the nearest earlier one; the words that differ are marked. "
          "Pairs that are joined should be copies of each other. Pairs that are kept apart should "
          "not be. If you would draw the line elsewhere, change match.similarity.",
          "muted");
  for (size_t distance = 0; distance < tuning.pairs.size(); ++distance) {
    html += fmt::format("<h3>{} {} {}</h3>\n", distance, distance == 1 ? "bit" : "bits",
                        FateOf(static_cast<int>(distance), tuning.proposed.match));
    if (tuning.pairs[distance].empty()) {
      html += HtmlParagraph("The sample has no pair at this distance.", "muted");
    }
    for (const SamplePair& pair : tuning.pairs[distance]) html += writer.Html(pair);
  }
  return html;
}

}  // namespace

std::string TunePage(const Tuning& tuning, const TuneFiles& files,
                     std::span<const RecordView> records) {
  return HtmlPage("neardup tune", VerdictBox(tuning, files) + Questions(tuning, records) +
                                      Distances(tuning) + Fields(tuning) + Pairs(tuning, records));
}

}  // namespace neardup
