// What is written outside the file: in the environment and on the command line.
#include <regex>

#include "config/assignment.h"

namespace neardup {
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
