#include "config/assignment.h"

#include <algorithm>

#include "config/nearest_name.h"

namespace neardup {
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

}  // namespace neardup
