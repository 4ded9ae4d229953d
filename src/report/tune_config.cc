#include "report/tune_config.h"

#include "config/documents.h"
#include "report/tune_summary.h"

namespace neardup {

namespace {

std::string FieldsComment(const Tuning& tuning) {
  std::string text = tuning.fields_given ? "Given by you." : "Proposed from the sample.";
  std::string left_out;
  std::string doubts;
  for (const StudiedField& field : tuning.fields) {
    const std::string entry = field.facts.path + " (" + field.reason + ")";
    if (!IsSelected(tuning.proposed.record, field.facts.path)) {
      if (!tuning.fields_given) left_out += (left_out.empty() ? "" : ", ") + entry;
    } else if (!DoubtAbout(tuning, field).empty()) {
      doubts += (doubts.empty() ? "" : ", ") + entry;
    }
  }
  if (!left_out.empty()) text += " Left out: " + left_out + ".";
  if (!doubts.empty()) text += " Better left out? " + doubts + ".";
  return text;
}

std::string DistanceComment(const Tuning& tuning) {
  return "Mode " + std::string(Name(tuning.calibration.mode)) + ": " + tuning.calibration.reason +
         ". " + SureText(tuning) + ". By chance: " + FalseMatchText(tuning) + ".";
}

}  // namespace

std::string TuneConfig(const Settings& settings, const Tuning& tuning, const TuneFiles& files) {
  const std::string name = files.config.filename().string();
  ConfigComments comments;
  comments.head = {
      "Written by `neardup tune` from " + files.sample + ", " + SampleText(tuning) + ".",
      "Look at the pairs in " + files.page.filename().string() +
          " before you trust it; then try `neardup filter --config " + name +
          " --input FILE`, and `neardup run --config " + name + "`" +
          (settings.kafka.topics.empty() ? " with --brokers and --input." : "."),
      "What is not here has its default: `neardup config show --config " + name + "`."};
  if (!files.given.empty()) {
    comments.head.push_back("Of " + files.given +
                            " only what says how records are compared is in here: take the rest, "
                            "such as Kafka's properties, from there.");
  }
  comments.settings = {
      {"record.fields", FieldsComment(tuning)},
      {"feature.features_min", ""},
      {"feature.model",
       "Learned from the sample. Part of what a fingerprint means: the service refuses a changelog "
       "that was written with another model."},
      {"match.distance_max", DistanceComment(tuning)},
      {"window.entries_max", "The distance depends on it: --window asks for another."}};
  if (tuning.calibration.mode != MatchMode::kExact) {
    comments.settings.insert({{"match.distance_sum_max", ""},
                              {"match.features_per_bit", ""},
                              {"match.widen", ""},
                              {"match.text_keys", ""}});
  }
  for (const TuneProposal& proposal : ProposalsOf(tuning)) {
    std::string& comment = comments.settings[proposal.setting];
    comment += (comment.empty() ? "" : " ") + std::string("Proposed: ") + proposal.text + ".";
  }
  return ShortConfig(settings, comments);
}

}  // namespace neardup
