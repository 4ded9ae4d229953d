#include "commands/tune/tune_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "service/config/documents.h"

namespace neardup {
namespace {

std::string FieldsComment(const Tuning& tuning) {
  std::string text = tuning.fields_given ? "You named these fields." : "Proposed from the sample.";
  std::vector<std::string> left_out;
  std::vector<std::string> doubts;
  for (const StudiedField& field : tuning.fields) {
    const std::string entry = fmt::format("{} ({})", field.facts.path, field.reason);
    if (!IsSelected(tuning.proposed.record, field.facts.path)) {
      if (!tuning.fields_given) left_out.push_back(entry);
    } else if (!DoubtAbout(tuning, field).empty()) {
      doubts.push_back(entry);
    }
  }
  if (!left_out.empty()) text += fmt::format(" Left out: {}.", fmt::join(left_out, ", "));
  if (!doubts.empty()) text += fmt::format(" Consider leaving out: {}.", fmt::join(doubts, ", "));
  return text;
}

std::string DistanceComment(const Tuning& tuning) {
  std::string text = fmt::format("Mode {}: {}. Measured: {}.", Name(tuning.calibration.mode),
                                 tuning.calibration.reason, MeasuredText(tuning));
  const std::string chance = ChanceText(tuning);
  if (!chance.empty()) text += fmt::format(" Chance matches: {}.", chance);
  return text;
}

}  // namespace

std::string TuneConfig(const Settings& settings, const Tuning& tuning, const TuneFiles& files) {
  const std::string name = files.config.filename().string();
  ConfigComments comments;
  comments.head = {
      fmt::format("Written by `neardup tune` from {}, {}.", files.sample, SampleText(tuning)),
      fmt::format("Look at the pairs in {} before you use this file. Then try `neardup filter "
                  "--config {} --input FILE`, and start `neardup run --config {}`{}",
                  files.page.filename().string(), name, name,
                  settings.kafka.topics.empty() ? " with --brokers and --topics." : "."),
      fmt::format("Settings that are not listed here have their defaults: `neardup config show "
                  "--config {}` prints them.",
                  name)};
  if (!files.given.empty()) {
    comments.head.push_back(
        fmt::format("From {} this file takes only the settings that say how records are compared. "
                    "Copy the others, such as Kafka's properties, from there.",
                    files.given));
  }
  comments.settings = {{"record.fields", FieldsComment(tuning)},
                       {"feature.features_min", ""},
                       {"feature.model",
                        "Learned from the sample. Fingerprints depend on the model: the service "
                        "refuses a changelog that was written with another one."},
                       {"match.similarity", DistanceComment(tuning)},
                       {"match.distance_max", ""},
                       {"window.entries_max",
                        "The distance is chosen for this window. To change the window, run "
                        "`neardup tune --window-entries` again."}};
  if (tuning.calibration.mode != MatchMode::kExact) {
    comments.settings.insert({{"match.distance_sum_max", ""},
                              {"match.distance_chance_max", ""},
                              {"match.features_per_bit", ""},
                              {"match.widen", ""},
                              {"match.text_keys", ""},
                              {"match.numbers", ""}});
  }
  for (const TuneProposal& proposal : ProposalsOf(tuning)) {
    std::string& comment = comments.settings[proposal.setting];
    comment += fmt::format("{}Proposed: {}.", comment.empty() ? "" : " ", proposal.text);
  }
  return ShortConfig(settings, comments);
}

}  // namespace neardup
