#include "report/tune_summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/number_text.h"
#include "feature/mask.h"

namespace neardup {

namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string KeyNames(const RecordOptions& record) {
  std::vector<std::string> names;
  for (const FieldSelector& field : record.fields) {
    if (field.key) names.push_back(field.path);
  }
  return Joined(names);
}

}  // namespace

std::vector<TuneProposal> ProposalsOf(const Tuning& tuning) {
  std::vector<TuneProposal> proposals;
  const FilterOptions& proposed = tuning.proposed;
  if (!tuning.keys_reason.empty()) {
    proposals.push_back({"keys", "record.fields",
                         KeyNames(proposed.record) + " have to be equal: " + tuning.keys_reason});
  }
  if (!tuning.short_reason.empty()) {
    proposals.push_back({"short", "feature.features_min",
                         "records of " + std::to_string(proposed.feature.features_min) +
                             " distinct tokens and more are compared: " + tuning.short_reason});
  }
  if (!tuning.masks_reason.empty()) {
    proposals.push_back({"masks", "feature.masks",
                         Joined(MaskNames(proposed.feature.masks)) +
                             " count as equal whatever they say: " + tuning.masks_reason +
                             ". Take out what tells records apart for you"});
  }
  if (tuning.window_smaller) {
    proposals.push_back({"window", "window.entries_max",
                         Grouped(proposed.window.entries_max) +
                             " unique records at most: in more of them chance matches would leave "
                             "too small a distance to find these copies; --window asks for more"});
  }
  return proposals;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr int kBarColumns = 50;
constexpr double kSure = 0.9;
constexpr double kFairlySure = 0.66;

std::string Decimal(double value, const char* format) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// Share of the records with an earlier one within the distance that was chosen.
double NearShare(const Tuning& tuning) {
  const NeighbourStatistics& structure = tuning.calibration.neighbours;
  if (structure.records == 0) return 0;
  const auto begin = structure.nearest.begin();
  const size_t near =
      std::accumulate(begin, begin + tuning.proposed.match.distance_max + 1, size_t{0});
  return static_cast<double>(near) / static_cast<double>(structure.records);
}

std::string Padded(std::string text, size_t columns) {
  text.resize(std::max(text.size(), columns), ' ');
  return text + "  ";
}

std::string Row(const std::string& name, const std::string& text) {
  return Padded(name, 12) + text + '\n';
}

std::string Histogram(const Tuning& tuning) {
  const std::vector<uint32_t>& bins = tuning.calibration.neighbours.nearest;
  const auto last = std::find_if(bins.rbegin(), bins.rend(), [](uint32_t n) { return n > 0; });
  if (last == bins.rend()) return "";
  const uint32_t most = *std::max_element(bins.begin(), bins.end());
  std::string text = "\ndistance of each record to the nearest before it, in bits\n";
  const auto end = bins.size() - static_cast<size_t>(last - bins.rbegin());
  for (size_t bin = 0; bin < end; ++bin) {
    // A bin that is not empty shows.
    const int columns = static_cast<int>((uint64_t{bins[bin]} * kBarColumns + most - 1) / most);
    const bool chosen = static_cast<int>(bin) == tuning.proposed.match.distance_max;
    std::array<char, 40> head{};
    std::snprintf(head.data(), head.size(), "%4zu %8s ", bin, Grouped(bins[bin]).c_str());
    std::string line = head.data() + std::string(static_cast<size_t>(columns), '#');
    if (chosen) line = Padded(line, 30) + "<- distance_max";
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string FieldsTable(const Tuning& tuning) {
  size_t path_columns = 5;
  for (const StudiedField& field : tuning.fields) {
    path_columns = std::max(path_columns, std::min<size_t>(field.facts.path.size(), 40));
  }
  std::string text = '\n' + Padded("field", path_columns) + Padded("compared", 8) + "why\n";
  for (const StudiedField& field : tuning.fields) {
    const bool listed = IsSelected(tuning.proposed.record, field.facts.path);
    const std::string doubt = DoubtAbout(tuning, field);
    text += Padded(field.facts.path, path_columns) + Padded(listed ? "yes" : "no", 8) +
            (listed && tuning.fields_given ? "given; " : "") + field.reason +
            (doubt.empty() ? "" : " (" + doubt + ")") + '\n';
  }
  if (tuning.fields_left_out > 0) {
    text += "and more than " + std::to_string(FieldStudy::kFieldsMax) +
            " others, which were not studied\n";
  }
  return text;
}

std::string ProposalRows(const Tuning& tuning) {
  std::string rows;
  for (const TuneProposal& proposal : ProposalsOf(tuning)) {
    rows += Row(proposal.name, proposal.text);
  }
  return rows;
}

Json ProposalsJson(const Tuning& tuning) {
  Json proposals = Json::object();
  for (const TuneProposal& proposal : ProposalsOf(tuning)) proposals[proposal.name] = proposal.text;
  return proposals;
}

Json KeysJson(const Tuning& tuning) {
  Json keys = Json::array();
  for (const FieldSelector& field : tuning.proposed.record.fields) {
    if (field.key) keys.push_back(field.path);
  }
  return keys;
}

Json FieldsJson(const Tuning& tuning) {
  Json fields = Json::array();
  for (const StudiedField& field : tuning.fields) {
    const FieldFacts& facts = field.facts;
    fields.push_back({{"path", facts.path},
                      {"compared", IsSelected(tuning.proposed.record, facts.path)},
                      {"role", Name(field.role)},
                      {"reason", field.reason},
                      {"present", facts.present},
                      {"distinct", facts.distinct},
                      {"most_frequent", facts.most_frequent},
                      {"tokens_mean", facts.tokens_mean},
                      {"bytes_mean", facts.bytes_mean},
                      {"times", facts.times},
                      {"numbers", facts.numbers},
                      {"flags", facts.flags}});
  }
  return fields;
}

}  // namespace

std::string PercentText(double share) {
  if (share > 0 && share < 1e-5) return "less than 0.001 %";
  return Decimal(100 * share, "%.3g") + " %";
}

std::string ModeText(const Tuning& tuning) {
  const MatchOptions& match = tuning.proposed.match;
  return std::string(Name(tuning.calibration.mode)) + ", distance_max " +
         std::to_string(match.distance_max) + (match.widen ? ", wider where texts agree" : "");
}

std::string SureText(const Tuning& tuning) {
  const Calibration& calibration = tuning.calibration;
  if (calibration.votes == 0) return "As sure as the masks are right, so judge those";
  const double share =
      static_cast<double>(calibration.votes_for) / static_cast<double>(calibration.votes);
  const char* words = share >= kSure         ? "sure"
                      : share >= kFairlySure ? "fairly sure"
                                             : "not sure, look at the pairs";
  return std::to_string(calibration.votes_for) + " of " + std::to_string(calibration.votes) +
         " random halves of the sample lead to the same: " + words;
}

std::string SampleText(const Tuning& tuning) {
  return Grouped(tuning.records) + " records: " + Grouped(tuning.distinct) + " different, " +
         Grouped(tuning.repeats) + " repeats of them, " + Grouped(tuning.dead_letters) +
         " dead letters; " + Grouped(tuning.calibration.comparable) +
         " have enough words to be compared";
}

std::string NearText(const Tuning& tuning) {
  const NeighbourStatistics& structure = tuning.calibration.neighbours;
  const int distance_max = tuning.proposed.match.distance_max;
  const double records = static_cast<double>(std::max<size_t>(structure.records, 1));
  std::string text;
  if (distance_max > 0) {
    text = PercentText(NearShare(tuning)) + " of these have an earlier one within " +
           std::to_string(distance_max) + " bits; ";
  }
  return text + PercentText(static_cast<double>(structure.with_neighbour) / records) +
         " have others within " + std::to_string(kNeighbourBits) + " bits, " +
         Decimal(structure.neighbours_mean, "%.1f") + " in the mean";
}

std::string FalseMatchText(const Tuning& tuning) {
  if (tuning.proposed.match.distance_max == 0) return "nothing: only equal records are joined";
  // More than one such match for each record is expected of windows that are far too large.
  return PercentText(std::min(tuning.calibration.false_match_rate, 1.0)) +
         " of unrelated records would be called duplicates with " +
         Grouped(tuning.proposed.window.entries_max) + " unique records in the window";
}

std::string DoubtAbout(const Tuning& tuning, const StudiedField& field) {
  const bool listed = IsSelected(tuning.proposed.record, field.facts.path);
  return tuning.fields_given && listed && !IsCompared(field.role) ? "better left out?" : "";
}

std::string TuneText(const Tuning& tuning, const TuneFiles& files) {
  std::string fields;
  for (const FieldSelector& field : tuning.proposed.record.fields) {
    fields += (fields.empty() ? "" : ", ") + field.path;
  }
  return Row("sample", files.sample) + Row("", SampleText(tuning)) +
         Row("fields", fields + (tuning.fields_given ? " (given)" : " (proposed)")) +
         Row("mode", ModeText(tuning)) + Row("because", tuning.calibration.reason) +
         Row("how sure", SureText(tuning)) + Row("near copies", NearText(tuning)) +
         Row("by chance", FalseMatchText(tuning)) + ProposalRows(tuning) + Histogram(tuning) +
         FieldsTable(tuning) + '\n' + Row("config", files.config.string()) +
         Row("model", files.model.string()) +
         Row("report", files.page.string() + ": histogram and pairs of records, to be judged");
}

std::string TuneJson(const Tuning& tuning, const TuneFiles& files) {
  const Calibration& calibration = tuning.calibration;
  const MatchOptions& match = tuning.proposed.match;
  const Json json = {{"sample",
                      {{"from", files.sample},
                       {"records", tuning.records},
                       {"distinct", tuning.distinct},
                       {"repeats", tuning.repeats},
                       {"dead_letters", tuning.dead_letters},
                       {"comparable", calibration.comparable}}},
                     {"mode", Name(calibration.mode)},
                     {"reason", calibration.reason},
                     {"votes", calibration.votes},
                     {"votes_for", calibration.votes_for},
                     {"match",
                      {{"distance_max", match.distance_max},
                       {"distance_sum_max", match.distance_sum_max},
                       {"features_per_bit", match.features_per_bit},
                       {"widen", match.widen},
                       {"text_keys", match.text_keys}}},
                     {"keys", KeysJson(tuning)},
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace neardup
