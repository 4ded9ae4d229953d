#include "app/tune_pairs.h"

#include <vector>

#include "app/word_difference.h"
#include "evaluate/svg_chart.h"
#include "record/field_extractor.h"

namespace neardup {
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

}  // namespace neardup
