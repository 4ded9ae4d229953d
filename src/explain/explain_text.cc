#include "explain/explain_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "detect/base/message_text.h"
#include "detect/base/quantity.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kTextBytesMax = 160;
constexpr size_t kNameBytesMax = 30;
constexpr size_t kPullsShown = 10;
constexpr size_t kBitsShown = 6;
constexpr size_t kNumbersShown = 5;

std::string NameOf(const std::string& name) { return Shortened(name, kNameBytesMax); }

/// The key fields in which the records differ.
std::vector<std::string> DifferingKeys(const PairExplanation& explained) {
  std::vector<std::string> paths;
  for (const TextPlace& place : TextPlaces(explained)) {
    if (place.any().key && !place.equal()) paths.push_back(place.any().path);
  }
  return paths;
}

std::string FewWordsText(const ExplainReport& report) {
  const PairExplanation& explained = report.explained;
  std::vector<std::string> parts;
  for (const auto& [name, record] :
       {std::pair(&report.a, &explained.a), std::pair(&report.b, &explained.b)}) {
    if (record->exact_only) {
      parts.push_back(
          fmt::format("{} has {}", *name, Counted(record->words.size(), "distinct word")));
    }
  }
  return fmt::format(
      "{}. A record with fewer than {} (feature.features_min) is not compared by distance: it "
      "is a duplicate only of records that are equal to it.",
      fmt::join(parts, ", and "), report.options.feature.features_min);
}

/// Cells in columns, the first aligned to the left and the others to the right.
class TextTable {
 public:
  void Add(std::vector<std::string> cells) {
    widths_.resize(std::max(widths_.size(), cells.size()));
    for (size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], Columns(cells[i]));
    rows_.push_back(std::move(cells));
  }
  std::string Text() const {
    std::string text;
    for (const std::vector<std::string>& row : rows_) {
      std::string line = "  ";
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths_[i] - Columns(row[i]), ' ');
        line += i == 0 ? row[i] + space : "  " + space + row[i];
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return text;
  }

 private:
  /// Code points.
  static size_t Columns(const std::string& text) {
    return static_cast<size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  }

  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> widths_;
};

std::string CountAndWeight(uint32_t count, uint64_t weight) {
  return count == 0 ? "-" : fmt::format("{} x, {}", count, weight);
}

std::string PullsText(const ExplainReport& report, const SketchDifference& difference,
                      std::string_view heading, std::string_view sketch) {
  if (difference.bits.empty()) return "";
  std::string text = fmt::format("\n{} that make the {} of the {}\n", heading,
                                 Counted(difference.bits.size(), "differing bit"), sketch);
  TextTable table;
  table.Add({std::string(heading), NameOf(report.a), NameOf(report.b), "bits"});
  double left = 0;
  size_t not_shown = 0;
  for (size_t i = 0; i < difference.pulls.size(); ++i) {
    const WordPull& pull = difference.pulls[i];
    if (i >= kPullsShown) {
      left += pull.bits;
      ++not_shown;
      continue;
    }
    table.Add({Shortened(pull.text, kTextBytesMax), CountAndWeight(pull.count_a, pull.weight_a),
               CountAndWeight(pull.count_b, pull.weight_b), fmt::format("{:.2f}", pull.bits)});
  }
  if (not_shown > 0) {
    table.Add({fmt::format("{} more", Grouped(not_shown)), "", "", fmt::format("{:.2f}", left)});
  }
  if (difference.model_bits > 0) {
    table.Add({"the model's centre", "", "", fmt::format("{:.2f}", difference.model_bits)});
  }
  return text + table.Text();
}

std::string VotesText(const ExplainReport& report) {
  const PairExplanation& explained = report.explained;
  std::string text;
  const auto add = [&](std::string_view sketch, const SketchDifference& difference,
                       const SketchVotes& a, const SketchVotes& b) {
    if (difference.bits.empty()) return;
    text += fmt::format(
        "\nvotes for the differing bits of the {} (a bit is 1 if its vote is above 0)\n", sketch);
    TextTable table;
    table.Add({"bit", NameOf(report.a), NameOf(report.b)});
    for (size_t i = 0; i < std::min(difference.bits.size(), kBitsShown); ++i) {
      const auto bit = static_cast<size_t>(difference.bits[i]);
      const auto vote = [bit](const SketchVotes& votes) {
        return fmt::format("{:+.0f}", static_cast<double>(votes.sums[bit]) - votes.bars[bit]);
      };
      table.Add({fmt::to_string(bit), vote(a), vote(b)});
    }
    text += table.Text();
    if (difference.bits.size() > kBitsShown) {
      text += fmt::format("  {} more; --json prints all\n", difference.bits.size() - kBitsShown);
    }
  };
  add("simhash", explained.words, explained.a.words_votes, explained.b.words_votes);
  add("order", explained.pairs, explained.a.pairs_votes, explained.b.pairs_votes);
  return text;
}

std::string TextsText(const ExplainReport& report) {
  std::string text = "\ncompared texts\n";
  for (const TextPlace& place : TextPlaces(report.explained)) {
    const ExplainedText& any = place.any();
    text += fmt::format("  {}{}{}{}\n",
                        any.path.empty() ? "the whole record" : Shortened(any.path, kTextBytesMax),
                        any.key ? " (key field)" : "",
                        any.weight == 1 ? "" : fmt::format(" (weight {:g})", any.weight),
                        place.equal() ? ": equal" : "");
    const auto row = [&](const std::string& name, const ExplainedText* of_record) {
      text +=
          fmt::format("    {}: {}\n", NameOf(name),
                      of_record == nullptr ? "(none)" : Shortened(of_record->text, kTextBytesMax));
    };
    if (place.equal()) {
      text += fmt::format("    {}\n", Shortened(place.a->text, kTextBytesMax));
    } else {
      row(report.a, place.a);
      row(report.b, place.b);
    }
  }
  return text;
}

std::string WordsText(const ExplainReport& report) {
  const PairExplanation& explained = report.explained;
  std::map<uint64_t, uint64_t> of_a;
  for (const ExplainedFeature& word : explained.a.words) of_a[word.hash] = word.weight;
  size_t both = 0;
  for (const ExplainedFeature& word : explained.b.words) {
    both += of_a.contains(word.hash) ? 1 : 0;
  }
  return fmt::format("\ndistinct words: {} in {}, {} in {}, {} in both\n",
                     Grouped(explained.a.words.size()), report.a, Grouped(explained.b.words.size()),
                     report.b, Grouped(both));
}

std::string KeysText(const ExplainReport& report) {
  if (report.explained.shared_keys.empty()) {
    return "shared phrases (text keys): none\n";
  }
  std::vector<std::string> phrases;
  for (const ExplainedKey& key : report.explained.shared_keys) {
    phrases.push_back(Shortened(key.words, kTextBytesMax));
  }
  return fmt::format("shared phrases (text keys): {}\n", fmt::join(phrases, "; "));
}

std::string ChangesText(const ExplainReport& report) {
  if (report.explained.changes.empty()) {
    return "\nno single change of fields, masks, mode or distance gives another verdict\n";
  }
  std::string text = "\nwhat would change the verdict\n";
  for (const VerdictChange& change : report.explained.changes) {
    text += fmt::format("  {}: {}\n", Shortened(ChangeText(change), 2 * kTextBytesMax),
                        VerdictName(change.verdict));
  }
  return text;
}

// JSON.

Json RecordJson(const std::string& name, const ExplainedRecord& record) {
  Json texts = Json::array();
  for (const ExplainedText& text : record.texts) {
    texts.push_back(
        {{"path", text.path}, {"weight", text.weight}, {"key", text.key}, {"text", text.text}});
  }
  Json words = Json::array();
  for (const ExplainedFeature& word : record.words) {
    words.push_back({{"word", word.text}, {"count", word.count}, {"weight", word.weight}});
  }
  Json keys = Json::array();
  for (const ExplainedKey& key : record.text_keys) keys.push_back(key.words);
  const Fingerprint& fingerprint = record.fingerprinted.fingerprint;
  return {{"name", name},
          {"event_time_ms", record.fingerprinted.outcome.time_ms},
          {"texts", texts},
          {"words", words},
          {"exact_only", record.exact_only},
          {"simhash", Hex64(fingerprint.simhash)},
          {"order", Hex64(fingerprint.order)},
          {"exact", Hex64(fingerprint.exact)},
          {"simhash_votes", record.words_votes.sums},
          {"simhash_bars", record.words_votes.bars},
          {"order_votes", record.pairs_votes.sums},
          {"text_keys", keys}};
}

Json DifferenceJson(const SketchDifference& difference) {
  Json pulls = Json::array();
  for (const WordPull& pull : difference.pulls) {
    pulls.push_back({{"words", pull.text},
                     {"count_earlier", pull.count_a},
                     {"count_later", pull.count_b},
                     {"weight_earlier", pull.weight_a},
                     {"weight_later", pull.weight_b},
                     {"bits", pull.bits}});
  }
  return {{"bits", difference.bits}, {"model_bits", difference.model_bits}, {"pulls", pulls}};
}

Json VerdictJson(const Verdict& verdict) {
  Json json = {{"verdict", Name(verdict.decision)}};
  if (verdict.is_suspect()) json["suspect"] = true;
  if (verdict.decision == Decision::kDuplicate) json["kind"] = Name(verdict.match.kind);
  return json;
}

}  // namespace

std::string Shortened(std::string_view text, size_t bytes_max) {
  const std::string_view kept = CutAtCharacter(text, bytes_max);
  std::string shortened;
  for (size_t i = 0; i < kept.size(); ++i) {
    const auto byte = static_cast<unsigned char>(kept[i]);
    // U+0080 to U+009F are the two bytes C2 80 to C2 9F.
    const bool upper =
        byte == 0xC2 && i + 1 < kept.size() && static_cast<unsigned char>(kept[i + 1]) < 0xA0;
    shortened += byte < 0x20 || byte == 0x7F || upper ? ' ' : kept[i];
    i += upper ? 1 : 0;
  }
  return kept.size() < text.size() ? shortened + " ..." : shortened;
}

bool HaveDistance(const ExplainReport& report) {
  return !report.explained.a.exact_only && !report.explained.b.exact_only;
}

std::string VerdictName(const Verdict& verdict) {
  if (verdict.is_suspect()) return "suspect";
  if (verdict.decision != Decision::kDuplicate) return Name(verdict.decision);
  return fmt::format("{} duplicate", Name(verdict.match.kind));
}

std::string ChangeText(const VerdictChange& change) {
  std::vector<std::string> parts;
  for (const VerdictChange::Setting& setting : change.settings) {
    parts.push_back(fmt::format("{} {}", setting.path, setting.value));
  }
  return fmt::format("{}", fmt::join(parts, " and "));
}

std::string VerdictSentence(const ExplainReport& report) {
  const Verdict& verdict = report.explained.verdict;
  if (verdict.decision == Decision::kDuplicate) {
    return fmt::format("{}: {} repeats {}", VerdictName(verdict), report.b, report.a);
  }
  if (verdict.is_suspect()) {
    return fmt::format(
        "unique, and a suspect: {} seems to repeat {}, within "
        "match.suspect_distance_max ({})",
        report.b, report.a, report.options.match.suspect_distance_max);
  }
  return fmt::format("unique: {} does not repeat {}", report.b, report.a);
}

std::string ReasonSentence(const ExplainReport& report) {
  const PairExplanation& explained = report.explained;
  const MatchOptions& match = report.options.match;
  const int distance = explained.distance.value_or(0);
  const int sum = distance + explained.order_distance;
  switch (explained.cause) {
    case Cause::kEqual:
      return "Their compared texts are equal, apart from case, punctuation, markup and masked "
             "parts.";
    case Cause::kNear:
      return fmt::format(
          "Their simhashes differ in {}, and at most {} may differ. With the order of the words, "
          "{} differ, and at most {} may differ.",
          Counted(static_cast<uint64_t>(distance), "bit"), explained.limits.distance_max, sum,
          explained.limits.sum_max);
    case Cause::kNotComparable:
      return "One of them cannot be compared.";
    case Cause::kOutsideWindow:
      return fmt::format("Their event times are more than window.window_ms ({}) apart.",
                         DurationText(report.options.window.window_ms));
    case Cause::kKeysDiffer:
      return fmt::format(
          "They differ in a key field ({}), and records with different keys are "
          "never duplicates.",
          fmt::join(DifferingKeys(explained), ", "));
    case Cause::kExactMode:
      return "They differ, and match.distance_max is 0, so that only equal records are duplicates.";
    case Cause::kFewWords:
      return fmt::format("They differ. {}", FewWordsText(report));
    case Cause::kTooFar:
      return fmt::format("Their simhashes differ in {}, and at most {} may differ.",
                         Counted(static_cast<uint64_t>(distance), "bit"),
                         explained.limits.distance_max);
    case Cause::kTooFarInSum:
      return fmt::format(
          "Their words are alike, but not the order of the words: both sketches together differ in "
          "{}, and at most {} may differ.",
          Counted(static_cast<uint64_t>(sum), "bit"), explained.limits.sum_max);
    case Cause::kNumbers:
      return fmt::format(
          "They are near enough, but their numbers conflict (match.numbers): only "
          "{} has {}, and only {} has {}.",
          report.a, ListText(explained.numbers_a, kNumbersShown), report.b,
          ListText(explained.numbers_b, kNumbersShown));
    case Cause::kNotFound:
      return fmt::format(
          "They are near enough, but the index did not compare them: it finds every original "
          "within "
          "{}, and most of the others, but not this one.",
          Counted(static_cast<uint64_t>(GuaranteedDistance(match)), "bit"));
  }
  return "";
}

std::vector<LimitRow> LimitRows(const ExplainReport& report) {
  const PairExplanation& explained = report.explained;
  const MatchOptions& match = report.options.match;
  if (!HaveDistance(report) || !explained.distance) return {};
  const uint32_t words = explained.b.fingerprinted.features;
  const int unwidened = explained.limits.distance_max - explained.limits.widening;
  const SimilarityLimits similar = LimitsOf(match.similarity);
  const std::string similarity = fmt::format("match.similarity {}", match.similarity);
  std::string why = similarity;
  if (match.distance_max < similar.distance_max) {
    why = fmt::format("match.distance_max {}", match.distance_max);
  }
  if (explained.shared_keys.empty() && unwidened == match.distance_chance_max &&
      unwidened < std::min(match.distance_max, similar.distance_max)) {
    why = fmt::format("match.distance_chance_max {}, no shared phrase", unwidened);
  } else if (unwidened < std::min(match.distance_max, similar.distance_max)) {
    why = fmt::format("{} / match.features_per_bit {}", Counted(words, "word"),
                      match.features_per_bit);
  }
  std::string sum_why = match.distance_sum_max < similar.sum_max
                            ? fmt::format("match.distance_sum_max {}", match.distance_sum_max)
                            : similarity;
  if (!explained.shared_keys.empty() && match.widen) {
    constexpr const char* kMore = ", and {} more for shared phrases";
    why += fmt::format(kMore, explained.limits.widening);
    sum_why += fmt::format(kMore, explained.limits.sum_widening);
  }
  const int sum = *explained.distance + explained.order_distance;
  std::vector<LimitRow> rows = {
      {"distance (words)",
       fmt::format("{} of at most {}", *explained.distance, explained.limits.distance_max), why},
      {"distance (order)", fmt::to_string(explained.order_distance), "counts in the sum only"},
      {"sum of both", fmt::format("{} of at most {}", sum, explained.limits.sum_max), sum_why}};
  if (explained.keys_differ) {
    rows.push_back({"of the words alone", fmt::to_string(explained.words.bits.size()),
                    "without the key fields"});
  }
  return rows;
}

std::vector<TextPlace> TextPlaces(const PairExplanation& explained) {
  std::vector<TextPlace> places;
  std::vector<bool> taken(explained.b.texts.size());
  for (const ExplainedText& a : explained.a.texts) {
    TextPlace& place = places.emplace_back();
    place.a = &a;
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i] || explained.b.texts[i].path != a.path) continue;
      taken[i] = true;
      place.b = &explained.b.texts[i];
      break;
    }
  }
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) places.push_back({nullptr, &explained.b.texts[i]});
  }
  return places;
}

std::string ExplainText(const ExplainReport& report) {
  std::string text = fmt::format("{}\n{}\n", VerdictSentence(report), ReasonSentence(report));
  for (const std::string& note : report.notes) text += note + '\n';
  const std::vector<LimitRow> rows = LimitRows(report);
  if (!rows.empty()) {
    text += "\nbits that differ, of 64\n";
    for (const LimitRow& row : rows) {
      text += fmt::format("  {:<18}  {:<16}  {}\n", row.name, row.measured, row.why);
    }
  }
  text += TextsText(report) + WordsText(report);
  if (HaveDistance(report)) {
    text += KeysText(report);
    text += PullsText(report, report.explained.words, "words", "simhash");
    text += PullsText(report, report.explained.pairs, "pairs of words", "order");
    text += VotesText(report);
  }
  return text + ChangesText(report);
}

std::string ExplainJson(const ExplainReport& report) {
  const PairExplanation& explained = report.explained;
  Json json = VerdictJson(explained.verdict);
  json["cause"] = Name(explained.cause);
  json["reason"] = ReasonSentence(report);
  json["notes"] = report.notes;
  if (explained.distance) json["distance"] = *explained.distance;
  json["order_distance"] = explained.order_distance;
  json["distance_max"] = explained.limits.distance_max;
  json["distance_sum_max"] = explained.limits.sum_max;
  json["widening"] = explained.limits.widening;
  json["sum_widening"] = explained.limits.sum_widening;
  json["keys_differ"] = explained.keys_differ;
  Json shared = Json::array();
  for (const ExplainedKey& key : explained.shared_keys) shared.push_back(key.words);
  json["shared_text_keys"] = shared;
  json["numbers_only_earlier"] = explained.numbers_a;
  json["numbers_only_later"] = explained.numbers_b;
  json["simhash_difference"] = DifferenceJson(explained.words);
  json["order_difference"] = DifferenceJson(explained.pairs);
  json["changes"] = Json::array();
  for (const VerdictChange& change : explained.changes) {
    Json one = VerdictJson(change.verdict);
    one["settings"] = Json::array();
    for (const VerdictChange::Setting& setting : change.settings) {
      one["settings"].push_back({{"setting", setting.path}, {"value", setting.value}});
    }
    json["changes"].push_back(one);
  }
  json["earlier"] = RecordJson(report.a, explained.a);
  json["later"] = RecordJson(report.b, explained.b);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace neardup
