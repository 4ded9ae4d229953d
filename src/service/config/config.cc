#include "service/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "detect/settings/setting_value.h"
#include "kafka/properties.h"
#include "learn/learned_options.h"
#include "learn/model_file.h"
#include "service/config/checks.h"
#include "service/config/settings_table.h"
#include "service/registry/topic_encodings.h"

namespace neardup {
namespace {

constexpr const char* kModelPath = "feature.model";
constexpr size_t kOutputs = 3;  ///< unique, duplicate, dead letter

/// Whether this value or one below it has the mark.
bool Any(const WrittenValue& value, bool (*mark)(const WrittenValue&)) {
  if (mark(value)) return true;
  for (const WrittenValue& item : value.items) {
    if (Any(item, mark)) return true;
  }
  return false;
}

bool IsFromFile(const WrittenValue& value) { return value.secret; }
bool IsGiven(const WrittenValue& value) { return value.style == WrittenValue::Style::kGiven; }

/// A file of another kind has as many mistakes as lines.
std::string Text(const ConfigErrors& errors) {
  constexpr size_t kLinesMax = 20;
  const std::vector<std::string>& lines = errors.lines();
  const size_t shown = std::min(lines.size(), kLinesMax);
  std::string text = fmt::format(
      "{}", fmt::join(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(shown), "\n"));
  if (shown < lines.size()) text += fmt::format("\nand {} more", lines.size() - shown);
  return text;
}

/// Applies the layers in order and collects every complaint.
class Loader {
 public:
  Result<LoadedConfig> Load(const ConfigLayers& layers) {
    if (layers.file) {
      Apply(FileAssignments(*layers.file, layers.environment, errors_));
    }
    Apply(EnvironmentAssignments(layers.environment, errors_));
    Apply(CommandLineAssignments(layers.sets, layers.environment, errors_));
    ReadModelFile();
    DecideLearning();
    NamePipeline();
    CheckTogether(config_, unread_, errors_);
    if (!errors_.empty()) {
      return Error{ErrorCode::kConfig, Text(errors_)};
    }
    config_.warnings = Warnings(config_);
    SetEncodings(config_.settings);
    return std::move(config_);
  }

 private:
  void Apply(const std::vector<Assignment>& assignments) {
    for (const Assignment& assignment : assignments) {
      std::optional<SettingValue> value;
      if (!assignment.unresolved) value = ReadValue(assignment, errors_);
      if (!value) {
        unread_.insert(assignment.setting->path);
      } else if (const auto* texts = std::get_if<TextMap>(&*value)) {
        SetEntries(assignment, *texts);
      } else {
        assignment.setting->set(config_.settings, *value);
        Note(assignment.setting->path, assignment.value, assignment.source);
      }
    }
  }

  void ReadModelFile() {
    std::filesystem::path file = config_.settings.model_file;
    if (file.empty()) return;
    const ValueSource source = config_.SourceOf(kModelPath);
    if (source.kind == ValueSource::Kind::kFile) {
      file = std::filesystem::path(source.name).parent_path() / file;
    }
    config_.model_file = file;
    auto model = ReadModel(file);
    if (model.ok()) {
      config_.settings.lane.filter.model = std::move(model.value());
      config_.settings.reference = ReadModelProfile(file);
    } else {
      const bool secret = config_.IsSecret(kModelPath);
      errors_.Add(source, kModelPath,
                  secret ? fmt::format("found {}, expected a readable model file", kSecretMask)
                         : model.error().text);
    }
  }

  void DecideLearning() {
    Settings& settings = config_.settings;
    FilterOptions& filter = settings.lane.filter;
    LearningSettings& learning = settings.learning;
    const auto given = [this](const std::string& path) { return config_.sources.contains(path); };
    if (learning.mode == ComparisonMode::kExact && !given("match.distance_max")) {
      filter.match.distance_max = 0;
    }
    for (const std::string& path : LearnablePaths()) {
      if (given(path)) learning.kept.insert(path);
    }
    learning.on = learning.mode == ComparisonMode::kAuto && settings.model_file.empty();
  }

  void NamePipeline() {
    Settings& settings = config_.settings;
    KafkaOptions& kafka = settings.kafka;
    settings.app_is_default = kafka.app.empty();
    if (settings.app_is_default) {
      kafka.app = DefaultApp(kafka.topics);
      if (config_.IsSecret("input.topics")) config_.secrets.insert("app");
    }
    settings.lane.routing.publish_groups = !kafka.groups_topic.empty();
    settings.lane.lane = static_cast<uint16_t>(kafka.lane);
    settings.lane.transaction_timeout_ms = kafka.transaction_timeout_ms;
    Pipeline& pipeline = settings.lane.pipeline;
    const RoutingMode mode = settings.lane.routing.mode;
    const RoutingMode mode_before = settings.routing_mode_before == ModeBefore::kSame ? mode
                                    : settings.routing_mode_before == ModeBefore::kObserve
                                        ? RoutingMode::kObserve
                                        : RoutingMode::kRoute;
    const std::vector<std::string>& outputs = settings.output_topics_before;
    const PipelineTopics ours{SortedTopics(kafka.topics), kafka.unique_topic, kafka.duplicate_topic,
                              kafka.dead_letter_topic, static_cast<uint16_t>(kafka.lanes)};
    PipelineTopics before;
    if (outputs.size() == kOutputs) {
      before = {{}, outputs[0], outputs[1], outputs[2], ours.lanes};
    } else if (mode_before != mode) {
      before = ours;
    }
    pipeline.topics = UnderMode(ours, mode);
    pipeline.before = UnderMode(std::move(before), mode_before);
    pipeline.before.inputs = SortedTopics(settings.input_topics_before);
  }

  /// A single entry joins the entries that are set already; a whole map replaces them.
  template <class Map>
  void SetEntries(const Assignment& assignment, const Map& given) {
    const std::string prefix = assignment.setting->path + ".";
    if (!assignment.entry.empty()) {
      Map all = std::get<Map>(assignment.setting->get(config_.settings));
      all[assignment.entry] = given.at(assignment.entry);
      assignment.setting->set(config_.settings, all);
      Note(prefix + assignment.entry, assignment.value, assignment.source);
      return;
    }
    const Map replaced = std::get<Map>(assignment.setting->get(config_.settings));
    for (const auto& [name, text] : replaced) Forget(prefix + name);
    assignment.setting->set(config_.settings, given);
    config_.sources[assignment.setting->path] = assignment.source;
    for (size_t i = 0; i < assignment.value.items.size(); ++i) {
      Note(prefix + assignment.value.keys[i].text, assignment.value.items[i], assignment.source);
    }
  }

  void Forget(const std::string& path) {
    config_.sources.erase(path);
    config_.secrets.erase(path);
    config_.from_variable.erase(path);
  }

  void Note(const std::string& path, const WrittenValue& value, const ValueSource& source) {
    Forget(path);
    if (source.kind == ValueSource::Kind::kFile && Any(value, IsGiven)) {
      config_.from_variable.insert(path);
    }
    if (Any(value, IsFromFile)) config_.secrets.insert(path);
    config_.sources[path] = AtLine(source, value.line);
  }

  LoadedConfig config_;
  std::set<std::string> unread_;
  ConfigErrors errors_;
};

}  // namespace

Environment ProcessEnvironment() {
  Environment environment;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string text = *variable;
    size_t equals = text.find('=');
    if (equals != std::string::npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return environment;
}

ValueSource LoadedConfig::SourceOf(const std::string& path) const {
  const auto found = sources.find(path);
  return found == sources.end() ? ValueSource{} : found->second;
}

bool LoadedConfig::IsSecret(const std::string& path) const {
  if (secrets.contains(path)) return true;
  const Setting* named = FindSetting(path);
  if (named != nullptr && named->secret) return sources.contains(path);
  for (const Setting& setting : SettingsTable()) {
    std::string prefix = setting.path + ".";
    if (setting.kind == SettingKind::kTextMap && path.starts_with(prefix)) {
      return IsSecretProperty(std::string_view(path).substr(prefix.size()));
    }
  }
  return false;
}

void SetEncodings(Settings& settings) {
  settings.kafka.encodings =
      NewTopicEncodings(settings.lane.filter.record, settings.registry, settings.state_dir);
}

Result<LoadedConfig> LoadConfig(const ConfigLayers& layers) { return Loader().Load(layers); }

Result<void> CheckRunnable(const LoadedConfig& config) {
  ConfigErrors errors;
  if (config.settings.kafka.topics.empty()) {
    errors.Add(
        config.SourceOf("input.topics"), "input.topics",
        "found no topics, expected at least one, such as [news]; name them with --topics, or as "
        "input.topics in the file");
  }
  const KafkaOptions& kafka = config.settings.kafka;
  if (kafka.lane >= kafka.lanes) {
    errors.Add(config.SourceOf("lanes.lane"), "lanes.lane",
               fmt::format("found {}, expected a lane from 0 to {}, because lanes.count is {}",
                           kafka.lane, kafka.lanes - 1, kafka.lanes));
  }
  if (errors.empty()) return {};
  return Error{ErrorCode::kConfig, errors.lines().front()};
}

namespace {

/// The items of --fields as YAML. Names are taken as they stand, such as @message or Item #; what
/// begins with a quotation mark, or holds an object, is YAML already.
std::string FieldItems(const std::string& fields) {
  const bool is_yaml = fields.find("{path:") != std::string::npos || fields.starts_with('"') ||
                       fields.starts_with('\'') || fields.starts_with('{');
  if (is_yaml || fields.empty()) return fields;
  std::string items;
  for (size_t begin = 0; begin <= fields.size();) {
    const size_t end = std::min(fields.find(',', begin), fields.size());
    std::string name = fields.substr(begin, end - begin);
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    items += (items.empty() ? "" : ", ") + YamlText(name);
    begin = end + 1;
  }
  return items;
}

/// --fields and --keys as one entry of --set.
std::string FieldsSet(const std::string& fields, const std::vector<std::string>& keys) {
  std::string items = FieldItems(fields);
  for (const std::string& key : keys) {
    items += fmt::format("{}{{path: {}, key: true}}", items.empty() ? "" : ", ", YamlText(key));
  }
  return fmt::format("record.fields=[{}]", items);
}

/// --free as an entry of --set.
std::string ExcludeSet(const std::vector<std::string>& fields) {
  std::string items;
  for (const std::string& field : fields) items += (items.empty() ? "" : ", ") + YamlText(field);
  return fmt::format("record.exclude=[{}]", items);
}

}  // namespace

Result<LoadedConfig> Load(const ConfigArguments& arguments) {
  ConfigLayers layers;
  if (!arguments.file.empty()) layers.file = arguments.file;
  layers.sets = arguments.sets;
  if (arguments.fields) layers.sets.push_back(FieldsSet(*arguments.fields, arguments.keys));
  if (!arguments.free.empty()) layers.sets.push_back(ExcludeSet(arguments.free));
  layers.environment = ProcessEnvironment();
  return LoadConfig(layers);
}

}  // namespace neardup
