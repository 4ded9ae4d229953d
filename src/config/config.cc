#include "config/config.h"

#include <unistd.h>

#include <utility>

#include "config/assignment.h"
#include "config/checks.h"
#include "config/setting_value.h"
#include "config/settings_table.h"
#include "filter/match_scheme.h"
#include "learn/model_file.h"

namespace neardup {
namespace {

constexpr const char* kModelPath = "feature.model";

// True if this value or one below it has the mark.
bool Any(const YamlValue& value, bool (*mark)(const YamlValue&)) {
  if (mark(value)) return true;
  for (const YamlValue& item : value.items) {
    if (Any(item, mark)) return true;
  }
  return false;
}

bool IsFromFile(const YamlValue& value) { return value.secret; }
bool IsGiven(const YamlValue& value) { return value.style == YamlValue::Style::kGiven; }

class Loader {
 public:
  Result<LoadedConfig> Load(const ConfigSource& source) {
    if (source.file) {
      Apply(FileAssignments(*source.file, source.environment, errors_));
    }
    Apply(EnvironmentAssignments(source.environment, errors_));
    Apply(CommandLineAssignments(source.sets, source.environment, errors_));
    ReadModelFile();
    CheckTogether(config_, unread_, errors_);
    if (!errors_.empty()) return Failure();
    config_.warnings = Warnings(config_);
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
      } else if (const auto* numbers = std::get_if<NumberMap>(&*value)) {
        SetEntries(assignment, *numbers);
      } else {
        assignment.setting->set(config_.settings, *value);
        Note(assignment.setting->path, assignment.value, assignment.origin);
      }
    }
  }

  void ReadModelFile() {
    std::filesystem::path file = config_.settings.model_file;
    if (file.empty()) return;
    const Origin origin = config_.origin(kModelPath);
    if (origin.kind == Origin::Kind::kFile) {
      file = std::filesystem::path(origin.name).parent_path() / file;
    }
    auto model = ReadModel(file);
    if (model.ok()) {
      config_.settings.lane.filter.model = std::move(model.value());
    } else {
      const bool secret = config_.IsSecret(kModelPath);
      errors_.Add(origin, kModelPath,
                  secret ? std::string("found ") + kSecretMask + ", which is no readable model"
                         : model.error().text);
    }
  }

  // One entry joins the others; a whole map takes their place.
  template <class Map>
  void SetEntries(const Assignment& assignment, const Map& given) {
    const std::string prefix = assignment.setting->path + ".";
    if (!assignment.entry.empty()) {
      Map all = std::get<Map>(assignment.setting->get(config_.settings));
      all[assignment.entry] = given.at(assignment.entry);
      assignment.setting->set(config_.settings, all);
      Note(prefix + assignment.entry, assignment.value, assignment.origin);
      return;
    }
    const Map replaced = std::get<Map>(assignment.setting->get(config_.settings));
    for (const auto& [name, text] : replaced) Forget(prefix + name);
    assignment.setting->set(config_.settings, given);
    config_.origins[assignment.setting->path] = assignment.origin;
    for (size_t i = 0; i < assignment.value.items.size(); ++i) {
      Note(prefix + assignment.value.keys[i].text, assignment.value.items[i], assignment.origin);
    }
  }

  void Forget(const std::string& path) {
    config_.origins.erase(path);
    config_.secrets.erase(path);
    config_.from_variable.erase(path);
  }

  void Note(const std::string& path, const YamlValue& value, Origin origin) {
    Forget(path);
    if (origin.kind == Origin::Kind::kFile) {
      origin.line = value.line;
      if (Any(value, IsGiven)) config_.from_variable.insert(path);
    }
    if (Any(value, IsFromFile)) config_.secrets.insert(path);
    config_.origins[path] = std::move(origin);
  }

  Error Failure() const {
    std::string text;
    for (const std::string& line : errors_.lines()) text += (text.empty() ? "" : "\n") + line;
    return {ErrorCode::kConfig, std::move(text)};
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

Origin LoadedConfig::origin(const std::string& path) const {
  auto found = origins.find(path);
  return found == origins.end() ? Origin{} : found->second;
}

bool LoadedConfig::IsSecret(const std::string& path) const {
  if (secrets.contains(path)) return true;
  for (const Setting& setting : SettingsTable()) {
    std::string prefix = setting.path + ".";
    if (setting.kind == SettingKind::kTextMap && path.starts_with(prefix)) {
      return IsSecretProperty(std::string_view(path).substr(prefix.size()));
    }
  }
  return false;
}

Result<LoadedConfig> LoadConfig(const ConfigSource& source) { return Loader().Load(source); }

Result<void> CheckRunnable(const LoadedConfig& config) {
  ConfigErrors errors;
  if (config.settings.kafka.topics.empty()) {
    errors.Add(config.origin("input.topics"), "input.topics",
               "found no topics, expected at least one to read, such as [news]");
  }
  NEARDUP_ASSIGN(const ChosenScheme chosen, ChooseScheme(config.settings.lane.filter.scheme));
  if (chosen.scheme && chosen.scheme->scans_all()) {
    errors.Add(config.origin("match.scheme"), "match.scheme",
               "found " + std::string(chosen.row->name) +
                   ", which compares a record with every one that is remembered, so that a stream "
                   "soon waits for it; expected a scheme that looks them up. `neardup filter` and "
                   "`neardup evaluate` take it");
  }
  if (errors.empty()) return {};
  return Error{ErrorCode::kConfig, errors.lines().front()};
}

}  // namespace neardup
