#include "service/config/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "detect/base/file.h"
#include "detect/base/message_text.h"
#include "detect/settings/filter_settings_table.h"

namespace neardup {

std::string Text(const ValueSource& source) {
  switch (source.kind) {
    case ValueSource::Kind::kDefault:
      return "default";
    case ValueSource::Kind::kFile:
      return source.line > 0 ? fmt::format("{}:{}", source.name, source.line) : source.name;
    case ValueSource::Kind::kEnvironment:
      return source.name;
    case ValueSource::Kind::kCommandLine:
      return "--set " + source.name;
    case ValueSource::Kind::kLearned:
      return "learned";
  }
  return "default";
}

ValueSource AtLine(ValueSource source, int line) {
  if (source.kind == ValueSource::Kind::kFile) source.line = line;
  return source;
}

void ConfigErrors::Add(const ValueSource& source, std::string_view path, std::string_view text) {
  const bool named = source.kind == ValueSource::Kind::kCommandLine && source.name == path;
  lines_.push_back(path.empty() || named ? fmt::format("{}: {}", Text(source), text)
                                         : fmt::format("{}: {}: {}", Text(source), path, text));
}

namespace {

/// The one setting with the same key in another section: input.topics for kafka.topics.
std::optional<std::string> SameKeyElsewhere(std::string_view path) {
  std::optional<std::string> found;
  for (const Setting& setting : SettingsTable()) {
    if (KeyOf(setting.path) != KeyOf(path)) continue;
    if (found) return std::nullopt;
    found = setting.path;
  }
  return found;
}

/// Finds the setting, or the map and its entry, that a path names. False, with a complaint, if
/// there is none.
bool FindTarget(std::string_view path, const ValueSource& source, ConfigErrors& errors,
                Assignment& assignment) {
  assignment.setting = FindSetting(path);
  if (assignment.setting != nullptr) return true;
  for (const Setting& setting : SettingsTable()) {
    std::string prefix = setting.path + ".";
    if (setting.kind == SettingKind::kTextMap && path.size() > prefix.size() &&
        path.starts_with(prefix)) {
      assignment.setting = &setting;
      assignment.entry = std::string(path.substr(prefix.size()));
      return true;
    }
  }
  for (const Setting& setting : SettingsTable()) {
    if (!path.empty() && SectionOf(setting.path) == path) {
      errors.Add(
          source, path,
          fmt::format("found a section, expected one of its settings, such as {}", setting.path));
      return false;
    }
  }
  errors.Add(source, path, UnknownSettingText(path));
  return false;
}

std::string ItemPath(const std::string& path, const WrittenValue& parent, size_t item) {
  if (parent.form == WrittenValue::Form::kList) return fmt::format("{}[{}]", path, item);
  return path.empty() ? parent.keys[item].text : path + "." + parent.keys[item].text;
}

/// Complains about repeated keys and merge keys (<<) in the value and below it.
void CheckKeys(const WrittenValue& value, const std::string& path, const ValueSource& source,
               ConfigErrors& errors) {
  for (size_t i = 0; i < value.items.size(); ++i) {
    std::string item_path = ItemPath(path, value, i);
    if (value.form == WrittenValue::Form::kMap) {
      const WrittenKey& key = value.keys[i];
      const ValueSource here = AtLine(source, key.line);
      if (key.text == "<<") {
        errors.Add(here, item_path, "found a merge key (<<), expected the settings themselves");
      }
      auto first = std::find_if(value.keys.begin(), value.keys.end(),
                                [&](const WrittenKey& other) { return other.text == key.text; });
      if (&*first != &key) {
        const std::string at = here.line > 0 ? fmt::format(" (first on line {})", first->line) : "";
        errors.Add(here, item_path, fmt::format("found twice{}, expected once", at));
      }
    }
    CheckKeys(value.items[i], item_path, source, errors);
  }
}

/// Replaces the references in every scalar of the value. False, with complaints, if one has no
/// value.
bool InterpolateAll(WrittenValue& value, const std::string& path, const ValueSource& source,
                    const Environment& environment, ConfigErrors& errors) {
  bool all = true;
  for (size_t i = 0; i < value.items.size(); ++i) {
    all &= InterpolateAll(value.items[i], ItemPath(path, value, i), source, environment, errors);
  }
  if (value.form != WrittenValue::Form::kScalar) return all;
  Result<Interpolated> result = Interpolate(value.text, environment);
  if (!result.ok()) {
    errors.Add(AtLine(source, value.line), path, result.error().text);
    return false;
  }
  value.text = result->text;
  value.secret = result->secret;
  if (result->replaced) value.style = WrittenValue::Style::kGiven;
  return true;
}

bool IsSection(const std::string& name) {
  const std::vector<SettingSection>& sections = SettingSections();
  return std::any_of(sections.begin(), sections.end(),
                     [&](const SettingSection& section) { return section.name == name; });
}

/// Turns the text of a configuration file into assignments.
class FileReader {
 public:
  FileReader(std::string name, const Environment& environment, ConfigErrors& errors)
      : name_(std::move(name)), environment_(environment), errors_(errors) {}

  std::vector<Assignment> Read(const std::string& text) {
    YamlDocument document = ParseYaml(text);
    for (const YamlProblem& problem : document.problems) {
      errors_.Add(At(problem.line), "", problem.text);
    }
    const bool empty = !document.root || (document.root->form == WrittenValue::Form::kMap &&
                                          document.root->items.empty());
    if (empty && document.problems.empty()) {
      errors_.Add(At(1), "",
                  "found no settings, expected at least one; `neardup config example` prints all");
    }
    if (!document.root) return {};
    if (document.root->form != WrittenValue::Form::kMap) {
      errors_.Add(At(document.root->line), "",
                  "found no map, expected sections such as `input:` at the top level");
      return {};
    }
    CheckKeys(*document.root, "", At(0), errors_);
    ReadRoot(*document.root);
    return std::move(assignments_);
  }

 private:
  ValueSource At(int line) const { return {ValueSource::Kind::kFile, name_, line}; }

  void ReadRoot(WrittenValue& root) {
    for (size_t i = 0; i < root.items.size(); ++i) {
      const WrittenKey& key = root.keys[i];
      if (key.text == "<<") continue;
      if (IsSection(key.text)) {
        ReadSection(key, root.items[i]);
      } else {
        Take(key.text, key.line, root.items[i]);
      }
    }
  }

  void ReadSection(const WrittenKey& section, WrittenValue& value) {
    // The settings of such a section are all commented out.
    if (value.form == WrittenValue::Form::kNull) return;
    if (value.form != WrittenValue::Form::kMap) {
      errors_.Add(At(section.line), section.text,
                  "found a value, expected settings below this section");
      return;
    }
    for (size_t i = 0; i < value.items.size(); ++i) {
      if (value.keys[i].text == "<<") continue;
      Take(section.text + "." + value.keys[i].text, value.keys[i].line, value.items[i]);
    }
  }

  void Take(const std::string& path, int line, WrittenValue& value) {
    const Setting* setting = FindSetting(path);
    if (setting == nullptr && IsFormerDefault(path, value)) return;
    if (setting == nullptr) {
      errors_.Add(At(line), path, UnknownSettingText(path));
      return;
    }
    const bool resolved = InterpolateAll(value, path, At(line), environment_, errors_);
    assignments_.push_back({setting, "", At(line), std::move(value), !resolved});
  }

  std::string name_;
  const Environment& environment_;
  ConfigErrors& errors_;
  std::vector<Assignment> assignments_;
};

constexpr std::string_view kPrefix = "NEARDUP_";

/// Whether a variable with our prefix is none of ours. Kubernetes sets such variables in every pod
/// if a Service has a name that starts with "neardup", and scripts/kafka reads NEARDUP_CACHE.
bool IsForeign(const std::string& name, const std::string& value) {
  static const std::regex service("_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$");
  static const std::regex port("_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$");
  static const std::regex part("_PORT_[0-9]+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)$");
  std::string at = "_" + name.substr(kPrefix.size());
  if (name == "NEARDUP_CACHE" || std::regex_search(at, service) || std::regex_search(at, part)) {
    return true;
  }
  return std::regex_search(at, port) && value.find("://") != std::string::npos;
}

/// WINDOW__WINDOW_MS -> window.window_ms
std::string PathOf(std::string_view name) {
  std::string path;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with("__")) {
      path += '.';
      ++i;
    } else {
      path += name[i] >= 'A' && name[i] <= 'Z' ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
    }
  }
  return path;
}

/// The variable that was meant if the path has an underscore instead of the dot of a setting:
/// match_distance_max -> NEARDUP_MATCH__DISTANCE_MAX.
std::optional<std::string> VariableMeant(const std::string& path) {
  for (const Setting& setting : SettingsTable()) {
    std::string flat = setting.path;
    std::replace(flat.begin(), flat.end(), '.', '_');
    if (flat != path || flat == setting.path) continue;
    std::string name(kPrefix);
    for (const char c : setting.path) {
      if (c == '.') {
        name += "__";
      } else {
        name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      }
    }
    return name;
  }
  return std::nullopt;
}

bool IsScalar(const Assignment& assignment) {
  SettingKind kind = assignment.setting->kind;
  return !assignment.entry.empty() ||
         (kind != SettingKind::kTextList && kind != SettingKind::kFieldList &&
          kind != SettingKind::kTextMap);
}

bool IsText(const Assignment& assignment) {
  return !assignment.entry.empty() || assignment.setting->kind == SettingKind::kText;
}

/// Whether the whole text is one quoted YAML scalar.
bool IsQuoted(std::string_view text) {
  if (text.size() < 2 || (text[0] != '\'' && text[0] != '"')) return false;
  const std::string_view escape = text[0] == '"' ? "\\" : "''";
  size_t i = 1;
  for (; i < text.size(); ++i) {
    if (text.substr(i).starts_with(escape)) {
      ++i;
    } else if (text[i] == text[0]) {
      break;
    }
  }
  return i + 1 == text.size();
}

WrittenValue LiteralText(const std::string& text) {
  WrittenValue value;
  value.form = WrittenValue::Form::kScalar;
  value.text = text;
  value.style = WrittenValue::Style::kGiven;
  return value;
}

/// Lets plain scalars become whatever the setting needs: outside a file, nobody expects `app=2024`
/// to fail because 2024 is a number in YAML.
void AdaptToSetting(WrittenValue& value) {
  if (value.form == WrittenValue::Form::kNull) value.form = WrittenValue::Form::kScalar;
  if (value.style == WrittenValue::Style::kPlain) value.style = WrittenValue::Style::kGiven;
  for (WrittenValue& item : value.items) AdaptToSetting(item);
}

/// Reads a value written as YAML outside a file. False, with complaints, if it is not YAML.
bool ReadYamlArgument(const std::string& text, const std::string& path, ConfigErrors& errors,
                      Assignment& assignment) {
  YamlDocument document = ParseYaml(text);
  for (const YamlProblem& problem : document.problems) {
    errors.Add(assignment.source, path, problem.text);
  }
  if (!document.problems.empty()) return false;
  assignment.value = document.root ? std::move(*document.root) : WrittenValue{};
  CheckKeys(assignment.value, path, assignment.source, errors);
  AdaptToSetting(assignment.value);
  return true;
}

}  // namespace

std::vector<Assignment> FileAssignments(const std::filesystem::path& file,
                                        const Environment& environment, ConfigErrors& errors) {
  Result<std::string> text = ReadFile(file, kConfigFileBytesMax);
  if (!text.ok()) {
    errors.Add({ValueSource::Kind::kFile, file.string(), 0}, "", text.error().text);
    return {};
  }
  return FileReader(file.string(), environment, errors).Read(*text);
}

std::vector<Assignment> EnvironmentAssignments(const Environment& environment,
                                               ConfigErrors& errors) {
  std::vector<Assignment> assignments;
  for (const auto& [name, text] : environment) {
    if (!name.starts_with(kPrefix) || IsForeign(name, text)) continue;
    Assignment assignment;
    assignment.source = {ValueSource::Kind::kEnvironment, name, 0};
    std::string path = PathOf(std::string_view(name).substr(kPrefix.size()));
    if (const std::optional<std::string> meant = VariableMeant(path)) {
      errors.Add(assignment.source, path, fmt::format("unknown setting, did you mean {}?", *meant));
      continue;
    }
    if (!FindTarget(path, assignment.source, errors, assignment)) continue;
    if (IsScalar(assignment)) {
      assignment.value = LiteralText(text);
    } else if (!ReadYamlArgument(text, path, errors, assignment)) {
      continue;
    }
    assignments.push_back(std::move(assignment));
  }
  return assignments;
}

std::vector<Assignment> CommandLineAssignments(const std::vector<std::string>& sets,
                                               const Environment& environment,
                                               ConfigErrors& errors) {
  std::vector<Assignment> assignments;
  for (const std::string& set : sets) {
    size_t equals = set.find('=');
    std::string path = set.substr(0, equals);
    Assignment assignment;
    assignment.source = {ValueSource::Kind::kCommandLine, path, 0};
    if (equals == std::string::npos) {
      errors.Add(assignment.source, path, "found no '=', expected path=value");
      continue;
    }
    if (!FindTarget(path, assignment.source, errors, assignment)) continue;
    const std::string text = set.substr(equals + 1);
    if (IsText(assignment) && !IsQuoted(text)) {
      assignment.value = LiteralText(text);
    } else if (!ReadYamlArgument(text, path, errors, assignment)) {
      continue;
    }
    assignment.unresolved =
        !InterpolateAll(assignment.value, path, assignment.source, environment, errors);
    assignments.push_back(std::move(assignment));
  }
  return assignments;
}

std::string UnknownSettingText(std::string_view path) {
  if (path.starts_with("match.scheme")) {
    return "this setting is gone, remove it; `neardup evaluate --scheme` runs other methods";
  }
  std::vector<std::string> names;
  for (const SettingSection& section : SettingSections()) names.push_back(section.name);
  for (const Setting& setting : SettingsTable()) names.push_back(setting.path);
  std::optional<std::string> meant = SameKeyElsewhere(path);
  if (!meant) meant = NearestName(path, names);
  if (meant) return fmt::format("unknown setting, did you mean {}?", *meant);
  return "unknown setting; `neardup config example` prints all of them";
}

std::optional<SettingValue> ReadValue(const Assignment& assignment, ConfigErrors& errors) {
  std::vector<SettingProblem> problems;
  std::optional<SettingValue> value =
      ReadValue(*assignment.setting, assignment.value, problems, assignment.entry);
  for (const SettingProblem& problem : problems) {
    errors.Add(AtLine(assignment.source, problem.line), problem.path, problem.text);
  }
  return value;
}

}  // namespace neardup
