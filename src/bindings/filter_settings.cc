#include "bindings/filter_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "detect/base/message_text.h"
#include "detect/record/json_syntax.h"
#include "detect/settings/filter_settings_table.h"
#include "detect/settings/setting_value.h"
#include "learn/learned_options.h"
#include "learn/model_file.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelPath = "feature.model";
constexpr const char* kFormatPath = "record.format";

const SettingRow& ModeRow() {
  static const SettingRow row = {
      .path = "match.mode", .kind = SettingKind::kChoice, .choices = {"auto", "near", "exact"}};
  return row;
}

/// The value of a row, or the first thing that is wrong with it.
Result<SettingValue> ValueOf(const SettingRow& row, const WrittenValue& written) {
  std::vector<SettingProblem> problems;
  std::optional<SettingValue> value = ReadValue(row, written, problems);
  if (value) return std::move(*value);
  return Error{ErrorCode::kConfig,
               fmt::format("{}: {}", problems.front().path, problems.front().text)};
}

Error UnknownSetting(const std::string& path) {
  std::vector<std::string> names = {ModeRow().path, kModelPath};
  for (const FilterSetting& row : FilterSettingsTable()) names.push_back(row.path);
  const std::optional<std::string> nearest = NearestName(path, names);
  return {ErrorCode::kConfig,
          fmt::format("{}: there is no such setting{}; expected one of record.*, feature.*, "
                      "match.* and window.* of the configuration file",
                      path, nearest ? fmt::format("; did you mean {}?", *nearest) : "")};
}

bool IsOfService(std::string_view name) {
  return name == "app" || std::find(std::begin(kServiceSections), std::end(kServiceSections),
                                    name) != std::end(kServiceSections);
}

/// The settings of the object by their paths.
Result<std::vector<std::pair<std::string, Json>>> Flattened(const Json& json) {
  std::vector<std::pair<std::string, Json>> settings;
  for (const auto& [name, value] : json.items()) {
    if (IsOfService(name.substr(0, name.find('.')))) continue;
    if (name.find('.') != std::string::npos) {
      settings.emplace_back(name, value);
    } else if (value.is_object()) {
      for (const auto& [key, item] : value.items()) settings.emplace_back(name + "." + key, item);
    } else if (!value.is_null()) {
      return UnknownSetting(name);
    }
  }
  return settings;
}

}  // namespace

Result<FilterSettings> ParseFilterSettings(std::string_view text) {
  const Json json = NestsDeeperThan(text) ? Json() : Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return Error{ErrorCode::kConfig,
                 "settings: expected a JSON object with sections such as "
                 "record and match"};
  }
  NEARDUP_ASSIGN(const auto flattened, Flattened(json));
  FilterSettings settings;
  std::set<std::string> named;
  std::string mode = "auto";
  for (const auto& [path, value] : flattened) {
    const WrittenValue written = WrittenAs(value);
    if (IsFormerDefault(path, written)) continue;
    if (path == kFormatPath) continue;  // whoever has the records has decoded them
    if (path == ModeRow().path) {
      NEARDUP_ASSIGN(const SettingValue chosen, ValueOf(ModeRow(), written));
      mode = std::get<std::string>(chosen);
      continue;
    }
    if (path == kModelPath) {
      if (value == "") continue;  // no model
      NEARDUP_ASSIGN(settings.options.model, ParseModel(value.dump(), path));
    } else {
      const FilterSetting* row = FindFilterSetting(path);
      if (row == nullptr) return UnknownSetting(path);
      NEARDUP_ASSIGN(const SettingValue read, ValueOf(*row, written));
      row->set(settings.options, read);
    }
    named.insert(path);
  }
  if (mode == "exact" && !named.contains("match.distance_max")) {
    settings.options.match.distance_max = 0;
  }
  for (const std::string& path : LearnablePaths()) {
    if (named.contains(path)) settings.given.insert(path);
  }
  const bool has_model = !(settings.options.model == Model());
  settings.learn = mode == "auto" && !has_model;
  NEARDUP_TRY(CheckOptions(settings.options));
  return settings;
}

std::string FilterSettingsText(const FilterOptions& options) {
  Json json = Json::object();
  for (const FilterSetting& row : FilterSettingsTable()) {
    const size_t dot = row.path.find('.');
    json[row.path.substr(0, dot)][row.path.substr(dot + 1)] = JsonValue(row.get(options));
  }
  json["feature"]["model"] = Json::parse(ModelText(options.model));
  json["match"]["mode"] = "near";
  return json.dump();
}

}  // namespace neardup
