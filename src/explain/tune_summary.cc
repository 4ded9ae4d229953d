#include "explain/tune_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "detect/base/quantity.h"
#include "detect/feature/mask.h"
#include "detect/index/match.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kBarColumns = 50;
constexpr size_t kPathColumnsMax = 40;

/// Share of the comparable records that have an earlier record within distance_max.
double NearShare(const Tuning& tuning) {
  const NeighbourStatistics& neighbours = tuning.calibration.neighbours;
  const auto begin = neighbours.nearest.begin();
  const size_t near =
      std::accumulate(begin, begin + LikenessMax(tuning.proposed.match) + 1, size_t{0});
  return ShareAmong(near, neighbours.records);
}

std::string SummaryRow(std::string_view name, std::string_view text) {
  return fmt::format("{:<14}{}\n", name, text);
}

std::string HistogramText(const Tuning& tuning) {
  const std::vector<uint32_t>& bins = tuning.calibration.neighbours.nearest;
  const auto last = std::find_if(bins.rbegin(), bins.rend(), [](uint32_t n) { return n > 0; });
  if (last == bins.rend()) return "";
  const uint32_t most = *std::ranges::max_element(bins);
  std::string text = "\nRecords by the distance to their nearest earlier record\nbits  records\n";
  const auto end = bins.size() - static_cast<size_t>(last - bins.rbegin());
  for (size_t bin = 0; bin < end; ++bin) {
    // Rounded up: every bin that is not empty shows.
    const size_t columns = (uint64_t{bins[bin]} * kBarColumns + most - 1) / most;
    std::string line =
        fmt::format("{:>4} {:>8} {}", bin, Grouped(bins[bin]), std::string(columns, '#'));
    if (static_cast<int>(bin) == LikenessMax(tuning.proposed.match)) {
      line = fmt::format("{:<30}  <- distance_max", line);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string FieldsTable(const Tuning& tuning) {
  size_t columns = 5;
  for (const StudiedField& field : tuning.fields) {
    columns = std::max(columns, std::min(field.facts.path.size(), kPathColumnsMax));
  }
  std::string text = fmt::format("\n{:<{}}  use         why\n", "field", columns);
  for (const StudiedField& field : tuning.fields) {
    const bool compared = IsSelected(tuning.proposed.record, field.facts.path);
    const std::string doubt = DoubtAbout(tuning, field);
    text += fmt::format("{:<{}}  {:<10}  {}{}{}\n", field.facts.path, columns,
                        UseOf(tuning.proposed.record, field.facts.path),
                        compared && tuning.fields_given ? "given; " : "", field.reason,
                        doubt.empty() ? "" : fmt::format("; {}", doubt));
  }
  if (tuning.fields_left_out > 0) {
    text += fmt::format("The sample has more than {} fields. The others were not studied.\n",
                        FieldStudy::kFieldsMax);
  }
  return text;
}

Json ClaimJson(const Claim& claim) {
  Json found = Json::object();
  for (const ClaimedEdit& edit : claim.edits) {
    found[Name(edit.edit)] = {{"planted", edit.planted}, {"found", edit.found}};
  }
  return {{"copies", found},
          {"unique", claim.unique},
          {"exact_duplicates", claim.exact},
          {"exact_with_other_fields", claim.other_fields},
          {"exact_with_masks", claim.masked},
          {"near_duplicates", claim.joined.near},
          {"doubtful", claim.joined.doubtful},
          {"unlike", claim.joined.unlike}};
}

std::string QuestionRows(const Tuning& tuning) {
  std::string rows;
  for (const std::string& question : tuning.questions) rows += SummaryRow("question", question);
  return rows.empty() ? rows : rows + SummaryRow("", kMarksText);
}

std::string ProposalRows(const Tuning& tuning) {
  std::string rows;
  for (const TuneProposal& proposal : ProposalsOf(tuning)) {
    rows += SummaryRow(proposal.name, proposal.text);
  }
  return rows;
}

Json ProposalsJson(const Tuning& tuning) {
  Json proposals = Json::object();
  for (const TuneProposal& proposal : ProposalsOf(tuning)) proposals[proposal.name] = proposal.text;
  return proposals;
}

Json LabelsJson(const LabelledChoice& labelled) {
  const LabelFit& fit = labelled.after;
  Json json = {{"copies", fit.copies},
               {"copies_found", fit.copies_found},
               {"others", fit.others},
               {"others_apart", fit.others_apart},
               {"right_before", labelled.before.right()},
               {"changes", labelled.changes},
               {"wrong", fit.wrong}};
  json["unseen_score"] = nullptr;
  if (labelled.unseen_score) json["unseen_score"] = *labelled.unseen_score;
  return json;
}

Json FieldsJson(const Tuning& tuning) {
  Json fields = Json::array();
  for (const StudiedField& field : tuning.fields) {
    const FieldFacts& facts = field.facts;
    fields.push_back({{"path", facts.path},
                      {"compared", IsSelected(tuning.proposed.record, facts.path)},
                      {"use", UseOf(tuning.proposed.record, field.facts.path)},
                      {"role", Name(field.role)},
                      {"reason", field.reason},
                      {"present", facts.present},
                      {"distinct", facts.distinct},
                      {"most_frequent", facts.most_frequent},
                      {"tokens_mean", facts.tokens_mean},
                      {"bytes_mean", facts.bytes_mean},
                      {"times", facts.times},
                      {"numbers", facts.numbers}});
  }
  return fields;
}

}  // namespace

std::string TuneText(const Tuning& tuning, const TuneFiles& files) {
  std::vector<std::string> fields;
  for (const FieldSelector& field : tuning.proposed.record.fields) {
    if (field.is_text()) fields.push_back(field.path);
  }
  if (tuning.proposed.record.fields.empty()) fields.emplace_back("all that are not left out");
  return SummaryRow("sample", files.sample) + SummaryRow("", SampleText(tuning)) +
         SummaryRow("fields", fmt::format("{} ({})", fmt::join(fields, ", "),
                                          tuning.fields_given ? "given" : "proposed")) +
         SummaryRow("mode", ModeText(tuning)) + SummaryRow("reason", tuning.calibration.reason) +
         SummaryRow("measured", MeasuredText(tuning)) +
         SummaryRow("near copies", NearCopiesText(tuning)) +
         (tuning.labelled ? SummaryRow("labels", LabelsText(*tuning.labelled)) : "") +
         (ChanceText(tuning).empty() ? "" : SummaryRow("by chance", ChanceText(tuning))) +
         QuestionRows(tuning) + ProposalRows(tuning) + HistogramText(tuning) + FieldsTable(tuning) +
         '\n' + SummaryRow("config", files.config.string()) +
         SummaryRow("model", files.model.string()) +
         SummaryRow("report",
                    fmt::format("{}: look at its pairs of records before you use the config",
                                files.page.string()));
}

std::string TuneJson(const Tuning& tuning, const TuneFiles& files) {
  const Calibration& calibration = tuning.calibration;
  const MatchOptions& match = tuning.proposed.match;
  Json json = {{"sample",
                {{"from", files.sample},
                 {"records", tuning.records},
                 {"distinct", tuning.distinct},
                 {"repeats", tuning.repeats},
                 {"dead_letters", tuning.dead_letters},
                 {"comparable", calibration.comparable}}},
               {"mode", Name(calibration.mode)},
               {"reason", calibration.reason},
               {"measured", ClaimJson(tuning.claim)},
               {"match",
                {{"similarity", match.similarity},
                 {"distance_max", match.distance_max},
                 {"distance_chance_max", match.distance_chance_max},
                 {"distance_sum_max", match.distance_sum_max},
                 {"features_per_bit", match.features_per_bit},
                 {"widen", match.widen},
                 {"text_keys", match.text_keys},
                 {"numbers", match.numbers}}},
               {"questions", tuning.questions},
               {"masks", MaskNames(tuning.proposed.feature.masks)},
               {"features_min", tuning.proposed.feature.features_min},
               {"proposals", ProposalsJson(tuning)},
               {"near_share", NearShare(tuning)},
               {"neighbours_mean", calibration.neighbours.neighbours_mean},
               {"window_entries", tuning.proposed.window.entries_max},
               {"window_distance_max", calibration.window_distance_max},
               {"false_match_rate", calibration.false_match_rate},
               {"false_match_rates", calibration.false_match_rates},
               {"nearest", calibration.neighbours.nearest},
               {"gap",
                {{"at", calibration.valley.middle},
                 {"depth", calibration.valley.ratio_to_unrelated},
                 {"unrelated", calibration.valley.unrelated}}},
               {"fields_given", tuning.fields_given},
               {"fields", FieldsJson(tuning)},
               {"config", files.config.string()},
               {"model", files.model.string()},
               {"report", files.page.string()}};
  if (tuning.labelled) json["labels"] = LabelsJson(*tuning.labelled);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string LabelsText(const LabelledChoice& labelled) {
  const LabelFit& fit = labelled.after;
  std::string text = fmt::format(
      "{} of {} marked pairs come out right: {} of {} copies are found, {} of {} others stay "
      "apart; "
      "without the marks, {} did",
      fit.right(), fit.pairs(), fit.copies_found, fit.copies, fit.others_apart, fit.others,
      labelled.before.right());
  if (labelled.unseen_score) {
    text += fmt::format("; of pairs that the choice had not seen, {} come out right",
                        PercentText(*labelled.unseen_score));
  }
  if (!labelled.changes.empty()) {
    text += fmt::format("; changed: {}", fmt::join(labelled.changes, "; "));
  }
  for (const auto& [count, kind] :
       {std::pair(fit.copies, "copies"), std::pair(fit.others, "other pairs")}) {
    if (count >= kLabelsFew) continue;
    text += fmt::format("; {} marked {} say little, mark at least {}", count, kind, kLabelsFew);
  }
  return text;
}

std::string ModeText(const Tuning& tuning) {
  const MatchOptions& match = tuning.proposed.match;
  return fmt::format("{}, {}{}", Name(tuning.calibration.mode), LimitText(match),
                     match.widen ? ", larger for texts that share phrases" : "");
}

std::string MeasuredText(const Tuning& tuning) {
  if (tuning.calibration.too_few) return "nothing: the sample is too small; give a larger one";
  const std::string doubt = ClaimDoubt(tuning.claim);
  return ClaimText(tuning.claim) + (doubt.empty() ? "" : "; " + doubt);
}

std::string SampleText(const Tuning& tuning) {
  return fmt::format(
      "{} ({} distinct, {} repeats, {} dead letters); {} have enough words to be compared "
      "by distance",
      Counted(tuning.records, "record"), Grouped(tuning.distinct), Grouped(tuning.repeats),
      Grouped(tuning.dead_letters), Grouped(tuning.calibration.comparable));
}

std::string NearCopiesText(const Tuning& tuning) {
  const NeighbourStatistics& neighbours = tuning.calibration.neighbours;
  const int distance_max = LikenessMax(tuning.proposed.match);
  const std::string found =
      distance_max > 0 ? fmt::format("{} of these records have an earlier record within {} bits; ",
                                     PercentText(NearShare(tuning)), distance_max)
                       : "";
  return fmt::format(
      "{}{} have an earlier or later record within {} bits, {:.1f} of them on average", found,
      PercentText(ShareAmong(neighbours.with_neighbour, neighbours.records)), kNeighbourBits,
      neighbours.neighbours_mean);
}

std::string ChanceText(const Tuning& tuning) {
  if (tuning.calibration.too_few) return "";
  if (tuning.proposed.match.distance_max == 0) {
    return "no record matches by chance, since only equal records are joined";
  }
  if (tuning.proposed.match.distance_chance_max == 0) {
    return "no record matches by chance, since near records must share a rare phrase";
  }
  // The expected number of such matches for each record, which exceeds 1 in windows far too large.
  return fmt::format(
      "{} of unrelated records would be called duplicates while the window holds {} unique "
      "records; records that share no rare phrase are joined up to distance {}",
      PercentText(std::min(tuning.calibration.false_match_rate, 1.0)),
      Grouped(tuning.proposed.window.entries_max), tuning.proposed.match.distance_chance_max);
}

std::string PercentText(double share) {
  if (share > 0 && share < 1e-5) return "less than 0.001 %";
  return RoundedPercent(share);
}

std::vector<TuneProposal> ProposalsOf(const Tuning& tuning) {
  std::vector<TuneProposal> proposals;
  const FilterOptions& proposed = tuning.proposed;
  if (!tuning.short_reason.empty()) {
    proposals.push_back(
        {"short", "feature.features_min",
         fmt::format("records with at least {} distinct tokens are compared by distance: {}",
                     proposed.feature.features_min, tuning.short_reason)});
  }
  if (!tuning.masks_reason.empty()) {
    proposals.push_back(
        {"masks", "feature.masks",
         fmt::format("these kinds of text count as equal whatever their value: {}. Reason: {}. "
                     "Remove a kind that tells your records apart",
                     fmt::join(MaskNames(proposed.feature.masks), ", "), tuning.masks_reason)});
  }
  if (tuning.window_smaller) {
    proposals.push_back(
        {"window", "window.entries_max",
         fmt::format("at most {} unique records: a larger window has more chance matches, and the "
                     "smaller distance that it needs would miss the copies in this sample. "
                     "--window-entries sets another size",
                     Grouped(proposed.window.entries_max))});
  }
  return proposals;
}

std::string DoubtAbout(const Tuning& tuning, const StudiedField& field) {
  const bool compared = IsSelected(tuning.proposed.record, field.facts.path);
  return tuning.fields_given && compared && !IsCompared(field.role) ? "consider leaving it out"
                                                                    : "";
}

namespace {

/// Why drift of this aspect matters whatever `tune` would choose; empty: it does not.
std::string_view Harm(const AspectDrift& aspect) {
  if (aspect.ratio <= 1) return "";
  if (aspect.aspect == DriftAspect::kBits) return "the learned centre belongs to other texts";
  if (aspect.aspect == DriftAspect::kDeadLetters) return "dead letters are not compared at all";
  return "";
}

bool HasDrifted(const TuneComparison& comparison) {
  return comparison.drift && !Drifted(*comparison.drift).empty();
}

std::string DriftRows(const TuneComparison& comparison) {
  if (!comparison.drift) {
    return SummaryRow(
        "drift",
        "unknown: the settings come with no profile of the sample that they were chosen "
        "from, or were changed since");
  }
  if (!HasDrifted(comparison)) return SummaryRow("drift", "none: the stream is as it was");
  std::string rows;
  for (const AspectDrift& aspect : Drifted(*comparison.drift)) {
    rows += SummaryRow(
        rows.empty() ? "drift" : "",
        fmt::format("{} {:.1f}: {}{}", Name(aspect.aspect), aspect.ratio, aspect.text,
                    Harm(aspect).empty() ? "" : fmt::format(" (matters; {})", Harm(aspect))));
  }
  return rows;
}

std::string SettingsRows(const TuneComparison& comparison) {
  if (!comparison.no_tune.empty()) return SummaryRow("settings", comparison.no_tune);
  if (comparison.changes.empty()) return SummaryRow("settings", "tune would choose the same");
  std::string rows;
  for (const SettingsChange& change : comparison.changes) {
    rows += SummaryRow(
        rows.empty() ? "settings" : "",
        fmt::format("{}: {}, tune would choose: {} ({}; {})", change.setting, change.was,
                    change.now, change.matters ? "matters" : "does not matter", change.reason));
  }
  return rows;
}

std::string ResultText(const TuneComparison& comparison) {
  if (Matters(comparison)) {
    return "it matters: the settings no longer fit the stream. Choose new ones with `neardup tune` "
           "and put them in force with `neardup reindex`; a lane that learns by itself needs only "
           "`neardup reindex`";
  }
  if (HasDrifted(comparison)) {
    return "it does not matter: the stream has changed, but the settings still fit it";
  }
  return "nothing has changed that matters";
}

}  // namespace

bool Matters(const TuneComparison& comparison) {
  const std::vector<AspectDrift> drift = comparison.drift.value_or(std::vector<AspectDrift>());
  const auto harms = [](const AspectDrift& aspect) { return !Harm(aspect).empty(); };
  return !comparison.no_tune.empty() || std::ranges::any_of(drift, harms) ||
         std::ranges::any_of(comparison.changes, &SettingsChange::matters);
}

std::string ComparisonText(const TuneComparison& comparison) {
  return SummaryRow("config", comparison.config) +
         SummaryRow("sample",
                    fmt::format("{}, {} records", comparison.sample, Grouped(comparison.records))) +
         DriftRows(comparison) + SettingsRows(comparison) +
         SummaryRow("result", ResultText(comparison));
}

std::string ComparisonJson(const TuneComparison& comparison) {
  Json drift = nullptr;
  if (comparison.drift) {
    drift = Json::array();
    for (const AspectDrift& aspect : *comparison.drift) {
      drift.push_back({{"aspect", Name(aspect.aspect)},
                       {"ratio", aspect.ratio},
                       {"text", aspect.text},
                       {"matters", !Harm(aspect).empty()}});
    }
  }
  Json changes = Json::array();
  for (const SettingsChange& change : comparison.changes) {
    changes.push_back({{"setting", change.setting},
                       {"was", change.was},
                       {"now", change.now},
                       {"matters", change.matters},
                       {"reason", change.reason}});
  }
  Json json = {{"config", comparison.config},
               {"sample", comparison.sample},
               {"records", comparison.records},
               {"drift", drift},
               {"changes", changes},
               {"matters", Matters(comparison)},
               {"result", ResultText(comparison)}};
  if (!comparison.no_tune.empty()) json["error"] = comparison.no_tune;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace neardup
