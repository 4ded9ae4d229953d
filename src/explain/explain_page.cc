#include "explain/explain_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "detect/base/quantity.h"
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

}  // namespace neardup
