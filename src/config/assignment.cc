#include "config/assignment.h"

#include <algorithm>
#include <regex>

#include "base/file_content.h"
#include "config/interpolation.h"
#include "config/settings_table.h"

namespace neardup {

std::string Text(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::kDefault:
      return "default";
    case Origin::Kind::kFile:
      return origin.line > 0 ? origin.name + ":" + std::to_string(origin.line) : origin.name;
    case Origin::Kind::kEnvironment:
      return origin.name;
    case Origin::Kind::kCommandLine:
      return "--set " + origin.name;
  }
  return "default";
}

void ConfigErrors::Add(const Origin& origin, std::string_view path, std::string_view text) {
  std::string line = Text(origin) + ": ";
  bool said = origin.kind == Origin::Kind::kCommandLine && origin.name == path;
  if (!path.empty() && !said) line.append(path).append(": ");
  lines_.push_back(line.append(text));
}

namespace {

// Right key, wrong section: topics, or kafka.topics, for input.topics.
std::optional<std::string> SameKeyElsewhere(std::string_view path) {
  std::optional<std::string> found;
  for (const Setting& setting : SettingsTable()) {
    if (KeyOf(setting.path) != KeyOf(path)) continue;
    if (found) return std::nullopt;
    found = setting.path;
  }
  return found;
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates) {
  // A name this long is no slip; the bound also keeps the table of distances small.
  if (name.size() > 200) return std::nullopt;
  std::optional<std::string> nearest;
  size_t least = 1 + std::max<size_t>(2, name.size() / 4);
  for (const std::string& candidate : candidates) {
    size_t distance = EditDistance(name, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string UnknownSettingText(std::string_view path) {
  std::vector<std::string> names;
  for (const SettingSection& section : SettingSections()) names.push_back(section.name);
  for (const Setting& setting : SettingsTable()) names.push_back(setting.path);
  std::optional<std::string> meant = SameKeyElsewhere(path);
  if (!meant) meant = NearestName(path, names);
  if (meant) return "unknown setting, did you mean " + *meant + "?";
  return "unknown setting; `neardup config example` prints all of them";
}

namespace {

Origin AtLine(Origin origin, int line) {
  if (origin.kind == Origin::Kind::kFile) origin.line = line;
  return origin;
}

std::string ItemPath(const std::string& path, const YamlValue& parent, size_t item) {
  if (parent.form == YamlValue::Form::kList) return path + "[" + std::to_string(item) + "]";
  return path.empty() ? parent.keys[item].text : path + "." + parent.keys[item].text;
}

}  // namespace

bool FindTarget(std::string_view path, const Origin& origin, ConfigErrors& errors,
                Assignment& assignment) {
  assignment.setting = FindSetting(path);
  if (assignment.setting != nullptr) return true;
  for (const Setting& setting : SettingsTable()) {
    std::string prefix = setting.path + ".";
    if (IsMap(setting.kind) && path.size() > prefix.size() && path.starts_with(prefix)) {
      assignment.setting = &setting;
      assignment.entry = std::string(path.substr(prefix.size()));
      return true;
    }
  }
  for (const Setting& setting : SettingsTable()) {
    if (!path.empty() && SectionOf(setting.path) == path) {
      errors.Add(origin, path,
                 "found a section, expected one of its settings, such as " + setting.path);
      return false;
    }
  }
  errors.Add(origin, path, UnknownSettingText(path));
  return false;
}

void CheckKeys(const YamlValue& value, const std::string& path, const Origin& origin,
               ConfigErrors& errors) {
  for (size_t i = 0; i < value.items.size(); ++i) {
    std::string item_path = ItemPath(path, value, i);
    if (value.form == YamlValue::Form::kMap) {
      const YamlKey& key = value.keys[i];
      Origin here = AtLine(origin, key.line);
      if (key.text == "<<") {
        errors.Add(here, item_path, "found a merge key, expected the settings themselves");
      }
      auto first = std::find_if(value.keys.begin(), value.keys.end(),
                                [&](const YamlKey& other) { return other.text == key.text; });
      if (&*first != &key) {
        std::string at =
            here.line > 0 ? " (first on line " + std::to_string(first->line) + ")" : "";
        errors.Add(here, item_path, "found twice" + at + ", expected once");
      }
    }
    CheckKeys(value.items[i], item_path, origin, errors);
  }
}

bool InterpolateAll(YamlValue& value, const std::string& path, const Origin& origin,
                    const Environment& environment, ConfigErrors& errors) {
  bool all = true;
  for (size_t i = 0; i < value.items.size(); ++i) {
    all &= InterpolateAll(value.items[i], ItemPath(path, value, i), origin, environment, errors);
  }
  if (value.form != YamlValue::Form::kScalar) return all;
  Result<Interpolated> result = Interpolate(value.text, environment);
  if (!result.ok()) {
    errors.Add(AtLine(origin, value.line), path, result.error().text);
    return false;
  }
  value.text = result->text;
  value.secret = result->secret;
  if (result->replaced) value.style = YamlValue::Style::kGiven;
  return true;
}

namespace {

bool IsSection(const std::string& name) {
  const std::vector<SettingSection>& sections = SettingSections();
  return std::any_of(sections.begin(), sections.end(),
                     [&](const SettingSection& section) { return section.name == name; });
}

class FileReader {
 public:
  FileReader(std::string name, const Environment& environment, ConfigErrors& errors)
      : name_(std::move(name)), environment_(environment), errors_(errors) {}

  std::vector<Assignment> Read(const std::string& text) {
    YamlDocument document = ParseYaml(text);
    for (const YamlProblem& problem : document.problems) {
      errors_.Add(At(problem.line), "", problem.text);
    }
    bool empty = !document.root ||
                 (document.root->form == YamlValue::Form::kMap && document.root->items.empty());
    if (empty && document.problems.empty()) {
      errors_.Add(At(1), "",
                  "found no settings, expected at least one; `neardup config example` prints all");
    }
    if (!document.root) return {};
    if (document.root->form != YamlValue::Form::kMap) {
      errors_.Add(At(document.root->line), "", "expected sections, such as `input:`, at the top");
      return {};
    }
    CheckKeys(*document.root, "", At(0), errors_);
    ReadRoot(*document.root);
    return std::move(assignments_);
  }

 private:
  Origin At(int line) const { return {Origin::Kind::kFile, name_, line}; }

  void ReadRoot(YamlValue& root) {
    for (size_t i = 0; i < root.items.size(); ++i) {
      const YamlKey& key = root.keys[i];
      if (key.text == "<<") continue;
      if (IsSection(key.text)) {
        ReadSection(key, root.items[i]);
      } else {
        Take(key.text, key.line, root.items[i]);
      }
    }
  }

  void ReadSection(const YamlKey& section, YamlValue& value) {
    // A section whose settings are all commented out.
    if (value.form == YamlValue::Form::kNull) return;
    if (value.form != YamlValue::Form::kMap) {
      errors_.Add(At(section.line), section.text, "expected a section with settings below it");
      return;
    }
    for (size_t i = 0; i < value.items.size(); ++i) {
      if (value.keys[i].text == "<<") continue;
      Take(section.text + "." + value.keys[i].text, value.keys[i].line, value.items[i]);
    }
  }

  void Take(const std::string& path, int line, YamlValue& value) {
    const Setting* setting = FindSetting(path);
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

}  // namespace

std::vector<Assignment> FileAssignments(const std::filesystem::path& file,
                                        const Environment& environment, ConfigErrors& errors) {
  Result<std::string> text = ReadFile(file, kSmallFileBytesMax);
  if (!text.ok()) {
    errors.Add({Origin::Kind::kFile, file.string(), 0}, "", text.error().text);
    return {};
  }
  return FileReader(file.string(), environment, errors).Read(*text);
}

// What is written outside the file: in the environment and on the command line.

namespace {

constexpr std::string_view kPrefix = "NEARDUP_";

// Kubernetes puts these into every pod beside a Service whose name starts with "neardup"; and
// scripts/kafka reads NEARDUP_CACHE.
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

// WINDOW__WINDOW_MS -> window.window_ms
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

bool IsScalar(const Assignment& assignment) {
  SettingKind kind = assignment.setting->kind;
  return !assignment.entry.empty() ||
         (kind != SettingKind::kTextList && kind != SettingKind::kFieldList && !IsMap(kind));
}

bool IsText(const Assignment& assignment) {
  return !assignment.entry.empty() || assignment.setting->kind == SettingKind::kText;
}

// One quoted YAML text from the first character to the last.
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

YamlValue TextAsItStands(const std::string& text) {
  YamlValue value;
  value.form = YamlValue::Form::kScalar;
  value.text = text;
  value.style = YamlValue::Style::kGiven;
  return value;
}

// Plain scalars become what the setting needs: outside a file nobody expects `app=2024` to fail.
void Give(YamlValue& value) {
  if (value.form == YamlValue::Form::kNull) value.form = YamlValue::Form::kScalar;
  if (value.style == YamlValue::Style::kPlain) value.style = YamlValue::Style::kGiven;
  for (YamlValue& item : value.items) Give(item);
}

bool ParseOuter(const std::string& text, const std::string& path, const Origin& origin,
                ConfigErrors& errors, YamlValue& value) {
  YamlDocument document = ParseYaml(text);
  for (const YamlProblem& problem : document.problems) errors.Add(origin, path, problem.text);
  if (!document.problems.empty()) return false;
  value = document.root ? std::move(*document.root) : YamlValue{};
  CheckKeys(value, path, origin, errors);
  return true;
}

}  // namespace

std::vector<Assignment> EnvironmentAssignments(const Environment& environment,
                                               ConfigErrors& errors) {
  std::vector<Assignment> assignments;
  for (const auto& [name, text] : environment) {
    if (!name.starts_with(kPrefix) || IsForeign(name, text)) continue;
    Assignment assignment;
    assignment.origin = {Origin::Kind::kEnvironment, name, 0};
    std::string path = PathOf(std::string_view(name).substr(kPrefix.size()));
    if (!FindTarget(path, assignment.origin, errors, assignment)) continue;
    if (IsScalar(assignment)) {
      assignment.value = TextAsItStands(text);
    } else {
      if (!ParseOuter(text, path, assignment.origin, errors, assignment.value)) continue;
      Give(assignment.value);
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
    assignment.origin = {Origin::Kind::kCommandLine, path, 0};
    if (equals == std::string::npos) {
      errors.Add(assignment.origin, path, "found no '=', expected path=value");
      continue;
    }
    if (!FindTarget(path, assignment.origin, errors, assignment)) continue;
    const std::string text = set.substr(equals + 1);
    if (IsText(assignment) && !IsQuoted(text)) {
      assignment.value = TextAsItStands(text);
    } else {
      if (!ParseOuter(text, path, assignment.origin, errors, assignment.value)) continue;
      Give(assignment.value);
    }
    assignment.unresolved =
        !InterpolateAll(assignment.value, path, assignment.origin, environment, errors);
    assignments.push_back(std::move(assignment));
  }
  return assignments;
}

}  // namespace neardup
