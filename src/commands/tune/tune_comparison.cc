#include "commands/tune/tune_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "commands/program/command_line.h"
#include "commands/program/message.h"
#include "commands/program/stop_signals.h"
#include "explain/tune_summary.h"
#include "learn/drift.h"
#include "learn/settings_change.h"
#include "learn/tuning.h"
#include "service/topics/lane_learning.h"
#include "service/topics/record_sample.h"

namespace neardup {
namespace {

/// The settings to compare, with what their lane learned.
Result<LoadedConfig> ReadCompared(const TuneArguments& arguments) {
  ConfigArguments compared = arguments.config;
  compared.file = arguments.compare;
  NEARDUP_ASSIGN(LoadedConfig config, Load(compared));
  NEARDUP_TRY(TakeLearnedOf(config, PrintKafkaErrors()));
  const Settings& settings = config.settings;
  const bool fields_given = !settings.lane.filter.record.fields.empty();
  if (settings.learning.on && settings.lane.learned.empty() && !fields_given) {
    return Error{ErrorCode::kConfig,
                 fmt::format("{}: names no fields to compare, and its lane has learned none yet; "
                             "expected a configuration that `tune` wrote, or one whose service has "
                             "decided records",
                             arguments.compare)};
  }
  return config;
}

struct NamedSample {
  std::string name;
  std::vector<Message> messages;
};

/// From the file or topic that is named; otherwise the newest records of the service's inputs.
Result<NamedSample> ReadNewSample(const TuneArguments& arguments, const Settings& settings) {
  if (!arguments.input.empty()) {
    NEARDUP_ASSIGN(std::vector<Message> messages,
                   ReadFileSample(arguments.input, arguments.records, settings));
    return NamedSample{arguments.input, std::move(messages)};
  }
  KafkaOptions kafka = settings.kafka;
  const bool named = !arguments.topic.empty();
  if (named) kafka.topics = {arguments.topic};
  if (kafka.topics.empty()) {
    return Error{ErrorCode::kConfig,
                 "found no records to compare with, expected --input, --topic, or input.topics in "
                 "the configuration"};
  }
  const LearnedRecords part =
      named && !arguments.latest ? LearnedRecords::kSpread : LearnedRecords::kLatest;
  NEARDUP_ASSIGN(std::vector<Message> messages,
                 ReadTopicSample(kafka, arguments.records, part, PrintKafkaErrors()));
  return NamedSample{fmt::format("topic {}{}", fmt::join(kafka.topics, ", "),
                                 part == LearnedRecords::kLatest ? ", newest records" : ""),
                     std::move(messages)};
}

/// Drift needs a sample of the size of the earlier one, under the same options.
std::optional<std::vector<AspectDrift>> DriftOf(std::vector<RecordView> records,
                                                const Settings& settings) {
  const std::optional<StreamProfile>& reference = settings.reference;
  const FilterOptions& filter = settings.lane.filter;
  if (!reference || reference->options != ProfiledOptions(filter)) return std::nullopt;
  if (records.size() > reference->records) records.resize(reference->records);
  return Compare(*reference, ProfileOf(records, filter));
}

/// What `tune` would choose. It keeps the fields if it would choose others, so that the rest can be
/// compared; the fields that it would choose are then found in its study of all fields.
Result<std::vector<SettingsChange>> FindChanges(const std::vector<RecordView>& records,
                                                const TuneArguments& arguments,
                                                const Settings& settings, bool is_same) {
  const FilterOptions& filter = settings.lane.filter;
  TuneOptions options;
  options.hash_seed = arguments.hash_seed;
  options.filter = UntunedOptions(filter, false);
  options.calibration.window_entries = filter.window.entries_max;
  NEARDUP_ASSIGN(const Tuning chosen, Tune(records, options));
  if (ComparesSameFields(chosen.proposed.record, filter.record) || filter.record.fields.empty()) {
    return ChangesOf(filter, chosen, is_same);
  }
  options.filter = UntunedOptions(filter, true);
  Result<Tuning> kept = Tune(records, options);
  // Without one of its fields, no record may be left.
  if (!kept.ok()) return ChangesOf(filter, chosen, is_same);
  std::vector<SettingsChange> changes = ChangesOf(filter, chosen, is_same);
  std::erase_if(changes,
                [](const SettingsChange& change) { return change.setting != kFieldsPath; });
  for (SettingsChange& change : ChangesOf(filter, *kept, is_same)) {
    if (change.setting != kFieldsPath) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

Result<int> CompareTuning(const TuneArguments& arguments) {
  NEARDUP_ASSIGN(const LoadedConfig config, ReadCompared(arguments));
  NEARDUP_ASSIGN(const NamedSample sample, ReadNewSample(arguments, config.settings));
  NowDoing(fmt::format("studying {} records", sample.messages.size()));
  const std::vector<RecordView> records = ViewsOf(sample.messages);
  TuneComparison comparison;
  comparison.config = arguments.compare;
  comparison.sample = sample.name;
  comparison.records = records.size();
  comparison.drift = DriftOf(records, config.settings);
  const bool is_same = comparison.drift && Drifted(*comparison.drift).empty();
  Result<std::vector<SettingsChange>> changes =
      FindChanges(records, arguments, config.settings, is_same);
  if (changes.ok()) {
    comparison.changes = std::move(*changes);
  } else {
    comparison.no_tune = fmt::format("the sample {}", changes.error().text);
  }
  const std::string text = arguments.json ? ComparisonJson(comparison) : ComparisonText(comparison);
  PrintText(text);
  return Matters(comparison) ? kExitNo : kExitOk;
}

}  // namespace neardup
