#include "bindings/filter_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "detect/base/message_text.h"
#include "detect/base/quantity.h"
#include "detect/feature/mask.h"
#include "detect/record/json_syntax.h"
#include "learn/learned_options.h"
#include "learn/model_file.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModePath = "match.mode";
/// Sections of the configuration file that a filter without Kafka has no use for.
constexpr const char* kServiceSections[] = {
    "app",   "input",   "output", "dead_letters", "auto", "transaction", "filter", "lease",
    "retry", "threads", "kafka",  "metrics",      "log",  "state",       "routing"};

std::string Shown(const Json& value) {
  constexpr size_t kBytesMax = 60;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kBytesMax) text = text.substr(0, kBytesMax) + "...";
  return text;
}

Error Expected(const std::string& path, const std::string& what, const Json& found) {
  return {ErrorCode::kConfig, fmt::format("{}: expected {}, found {}", path, what, Shown(found))};
}

/// One setting: its path, and how it is read and written.
struct Row {
  std::string path;
  std::function<Result<void>(const Json&, FilterOptions&)> read;
  std::function<Json(const FilterOptions&)> write;
};

/// A number that `parse` also reads from a text with a unit; null: only numbers.
template <class Member>
Row NumberRow(const std::string& path, Member member,
              std::optional<int64_t> (*parse)(std::string_view), const char* what) {
  return {path,
          [=](const Json& json, FilterOptions& options) -> Result<void> {
            auto& to = member(options);
            using Number = std::decay_t<decltype(to)>;
            std::optional<int64_t> number;
            if (json.is_number_integer() && !HasFraction(json)) number = json.get<int64_t>();
            if (json.is_string() && parse != nullptr) number = parse(json.get<std::string>());
            if (!number || !std::in_range<Number>(*number)) return Expected(path, what, json);
            to = static_cast<Number>(*number);
            return {};
          },
          [=](const FilterOptions& options) { return Json(member(options)); }};
}

/// A value of a JSON type: `is` tells whether a value has this type, and `what` names the type.
template <class Member>
Row PlainRow(const std::string& path, Member member, bool (*is)(const Json&), const char* what) {
  return {path,
          [=](const Json& json, FilterOptions& options) -> Result<void> {
            if (!is(json)) return Expected(path, what, json);
            json.get_to(member(options));
            return {};
          },
          [=](const FilterOptions& options) { return Json(member(options)); }};
}

template <class Member>
Row Real(const std::string& path, Member member) {
  return PlainRow(
      path, member, [](const Json& json) { return json.is_number(); }, "a number");
}

template <class Member>
Row Flag(const std::string& path, Member member) {
  return PlainRow(
      path, member, [](const Json& json) { return json.is_boolean(); }, "true or false");
}

/// `names` holds the name of each value of the enum, in its order.
template <class Member>
Row Choice(const std::string& path, Member member, const std::vector<std::string>& names) {
  return {path,
          [=](const Json& json, FilterOptions& options) -> Result<void> {
            const auto name = std::find_if(names.begin(), names.end(),
                                           [&](const std::string& each) { return json == each; });
            if (name == names.end()) {
              return Expected(path, fmt::format("one of {}", fmt::join(names, ", ")), json);
            }
            auto& to = member(options);
            to = static_cast<std::decay_t<decltype(to)>>(name - names.begin());
            return {};
          },
          [=](const FilterOptions& options) {
            return Json(names[static_cast<size_t>(member(options))]);
          }};
}

template <class Member>
Row Text(const std::string& path, Member member) {
  return PlainRow(
      path, member, [](const Json& json) { return json.is_string(); }, "a text");
}

Result<std::vector<std::string>> ReadTexts(const std::string& path, const Json& json) {
  std::vector<std::string> texts;
  if (!json.is_array()) return Expected(path, "a list of texts", json);
  for (const Json& item : json) {
    if (!item.is_string()) return Expected(path, "a list of texts", json);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Result<FieldSelector> ReadField(const std::string& path, const Json& json) {
  constexpr const char* kWhat =
      "a field name, a JSON Pointer, or {\"path\": ..., \"weight\": number, \"key\": true, "
      "\"free\": true}";
  if (json.is_string()) return FieldSelector{json.get<std::string>()};
  if (!json.is_object() || !json.contains("path")) return Expected(path, kWhat, json);
  FieldSelector field;
  for (const auto& [name, value] : json.items()) {
    if (name == "path" && value.is_string()) {
      field.path = value.get<std::string>();
    } else if (name == "weight" && value.is_number()) {
      field.weight = value.get<double>();
    } else if (name == "key" && value.is_boolean()) {
      field.key = value.get<bool>();
    } else if (name == "free" && value.is_boolean()) {
      field.free = value.get<bool>();
    } else {
      return Expected(path, kWhat, json);
    }
  }
  return field;
}

Row Fields() {
  const std::string path = "record.fields";
  return {path,
          [=](const Json& json, FilterOptions& options) -> Result<void> {
            if (!json.is_array()) return Expected(path, "a list of fields", json);
            options.record.fields.clear();
            for (const Json& item : json) {
              NEARDUP_ASSIGN(FieldSelector field, ReadField(path, item));
              options.record.fields.push_back(std::move(field));
            }
            return {};
          },
          [](const FilterOptions& options) {
            Json list = Json::array();
            for (const FieldSelector& field : options.record.fields) {
              Json item = {{"path", field.path}};
              if (field.weight != FieldSelector().weight) item["weight"] = field.weight;
              if (field.key) item["key"] = true;
              if (field.free) item["free"] = true;
              list.push_back(item.size() == 1 ? Json(field.path) : item);
            }
            return list;
          }};
}

Row Exclude() {
  const std::string path = "record.exclude";
  return {path,
          [=](const Json& json, FilterOptions& options) -> Result<void> {
            NEARDUP_ASSIGN(options.record.exclude, ReadTexts(path, json));
            return {};
          },
          [](const FilterOptions& options) { return Json(options.record.exclude); }};
}

Row MasksRow() {
  const std::string path = "feature.masks";
  return {path,
          [=](const Json& json, FilterOptions& options) -> Result<void> {
            NEARDUP_ASSIGN(const std::vector<std::string> names, ReadTexts(path, json));
            const std::vector<std::string> all = MaskNames(kAllMasks);
            for (const std::string& name : names) {
              if (std::find(all.begin(), all.end(), name) != all.end()) continue;
              return Expected(path, fmt::format("a list of {}", fmt::join(all, ", ")), json);
            }
            options.feature.masks = MasksNamed(names);
            return {};
          },
          [](const FilterOptions& options) { return Json(MaskNames(options.feature.masks)); }};
}

Row ModelRow() {
  const std::string path = "feature.model";
  return {path,
          [=](const Json& json, FilterOptions& options) -> Result<void> {
            if (json == "") return {};  // no model
            if (!json.is_object()) return Expected(path, "the object of a model file", json);
            NEARDUP_ASSIGN(options.model, ParseModel(json.dump(), path));
            return {};
          },
          [](const FilterOptions& options) { return Json::parse(ModelText(options.model)); }};
}

#define NEARDUP_OPTION(member) \
  [](auto& options) -> auto& { return options.member; }

const std::vector<Row>& Rows() {
  static const auto count = [](const std::string& path, auto member) {
    return NumberRow(path, member, nullptr, "a whole number");
  };
  static const auto duration = [](const std::string& path, auto member) {
    return NumberRow(path, member, &ParseDuration, "milliseconds, or a time such as \"24h\"");
  };
  static const std::vector<Row> rows = {
      Fields(),
      Exclude(),
      Choice("record.missing_fields", NEARDUP_OPTION(record.missing_fields), {"all", "any"}),
      Choice("record.null_value", NEARDUP_OPTION(record.null_value), {"dead-letter", "unique"}),
      Text("record.time_field", NEARDUP_OPTION(record.time_field)),
      Choice("record.time_format", NEARDUP_OPTION(record.time_format),
             {"rfc3339", "milliseconds", "seconds"}),
      Choice("record.missing_time", NEARDUP_OPTION(record.missing_time),
             {"dead-letter", "timestamp"}),
      NumberRow("record.record_bytes_max", NEARDUP_OPTION(record.record_bytes_max), &ParseBytes,
                "bytes, or a size such as \"8MiB\""),
      count("record.depth_max", NEARDUP_OPTION(record.depth_max)),
      count("feature.features_min", NEARDUP_OPTION(feature.features_min)),
      Flag("feature.markup", NEARDUP_OPTION(feature.markup)),
      MasksRow(),
      ModelRow(),
      Real("match.similarity", NEARDUP_OPTION(match.similarity)),
      count("match.distance_max", NEARDUP_OPTION(match.distance_max)),
      count("match.suspect_distance_max", NEARDUP_OPTION(match.suspect_distance_max)),
      count("match.distance_sum_max", NEARDUP_OPTION(match.distance_sum_max)),
      count("match.distance_chance_max", NEARDUP_OPTION(match.distance_chance_max)),
      count("match.features_per_bit", NEARDUP_OPTION(match.features_per_bit)),
      Flag("match.widen", NEARDUP_OPTION(match.widen)),
      Flag("match.text_keys", NEARDUP_OPTION(match.text_keys)),
      Flag("match.neighbours", NEARDUP_OPTION(match.neighbours)),
      Flag("match.numbers", NEARDUP_OPTION(match.numbers)),
      duration("window.window_ms", NEARDUP_OPTION(window.window_ms)),
      duration("window.lateness_ms", NEARDUP_OPTION(window.lateness_ms)),
      duration("window.ahead_max_ms", NEARDUP_OPTION(window.ahead_max_ms)),
      count("window.entries_max", NEARDUP_OPTION(window.entries_max))};
  return rows;
}

#undef NEARDUP_OPTION

Error UnknownSetting(const std::string& path) {
  std::vector<std::string> names = {kModePath};
  for (const Row& row : Rows()) names.push_back(row.path);
  const std::optional<std::string> nearest = NearestName(path, names);
  return {ErrorCode::kConfig,
          fmt::format("{}: there is no such setting{}; expected one of record.*, feature.*, "
                      "match.* and window.* of the configuration file",
                      path, nearest ? fmt::format("; did you mean {}?", *nearest) : "")};
}

bool IsServiceSection(const std::string& name) {
  return std::find(std::begin(kServiceSections), std::end(kServiceSections), name) !=
         std::end(kServiceSections);
}

/// The settings of the object by their paths.
Result<std::vector<std::pair<std::string, Json>>> Flattened(const Json& json) {
  std::vector<std::pair<std::string, Json>> settings;
  for (const auto& [name, value] : json.items()) {
    if (IsServiceSection(name.substr(0, name.find('.')))) continue;
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

/// Earlier versions had several methods. The files of the filters that they saved name one.
bool IsFormerDefault(const std::string& path, const Json& value) {
  return (path == "match.scheme" && value == "neardup") ||
         (path == "match.scheme_options" && value == Json::object());
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
    if (IsFormerDefault(path, value)) continue;
    if (path == kModePath) {
      if (value != "auto" && value != "near" && value != "exact") {
        return Expected(path, "one of auto, near, exact", value);
      }
      mode = value.get<std::string>();
      continue;
    }
    const auto row = std::find_if(Rows().begin(), Rows().end(),
                                  [&](const Row& each) { return each.path == path; });
    if (row == Rows().end()) return UnknownSetting(path);
    NEARDUP_TRY(row->read(value, settings.options));
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
  for (const Row& row : Rows()) {
    const size_t dot = row.path.find('.');
    json[row.path.substr(0, dot)][row.path.substr(dot + 1)] = row.write(options);
  }
  json["match"]["mode"] = "near";
  return json.dump();
}

}  // namespace neardup
