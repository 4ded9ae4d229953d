// The settings for people: the example file and the Markdown reference.
#include "config/documents.h"

#include <algorithm>
#include <sstream>

#include "config/checks.h"
#include "config/config.h"
#include "config/setting_value.h"
#include "config/settings_table.h"
#include "neardup/filter.h"

namespace neardup {

namespace {

constexpr size_t kColumns = 100;

// Comment lines that keep within the columns.
std::string Comment(const std::string& indent, std::string text) {
  for (char& c : text) c = c >= 0 && c < ' ' ? ' ' : c;
  std::string comment;
  std::string line = indent + "#";
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > kColumns) {
      comment += line + "\n";
      line = indent + "#";
    }
    line += " " + word;
    at = end + 1;
  }
  return comment + line + "\n";
}

std::string DefaultText(const Setting& setting) {
  return YamlText(setting, setting.default_value());
}

// Texts and lists explain themselves in their help.
bool HasRange(const Setting& setting) {
  switch (setting.kind) {
    case SettingKind::kInteger:
    case SettingKind::kDuration:
    case SettingKind::kBytes:
    case SettingKind::kChoice:
      return true;
    default:
      return false;
  }
}

std::string ExampleEntry(const Setting& setting) {
  std::string indent = SectionOf(setting.path).empty() ? "" : "  ";
  std::string text = Comment(indent, setting.help);
  if (HasRange(setting)) {
    std::string expected = ExpectationText(setting);
    expected[0] = static_cast<char>(expected[0] - 'a' + 'A');
    text += Comment(indent, expected + ".");
  }
  return text + indent + std::string(KeyOf(setting.path)) + ": " + DefaultText(setting) + "\n";
}

// Inside a cell of a Markdown table '|' ends the cell, and <...> would be taken for markup.
std::string Cell(const std::string& text) {
  std::string cell;
  for (char c : text) {
    if (c == '|') {
      cell += "\\|";
    } else if (c == '<') {
      cell += "&lt;";
    } else {
      cell += c;
    }
  }
  return cell;
}

std::string ReferenceRow(const Setting& setting) {
  return "| `" + setting.path + "` | `" + DefaultText(setting) + "` | " +
         Cell(ExpectationText(setting)) + " | " + Cell(setting.help) + " |\n";
}

constexpr char kTableHead[] =
    "| Setting | Default | Takes | Meaning |\n| --- | --- | --- | --- |\n";

}  // namespace

std::string ConfigExample() {
  std::string example =
      "# Every setting of neardup with its default; `neardup config example` prints this file.\n"
      "# Only what differs from the defaults needs to be in yours.\n"
      "#\n"
      "# Values may hold ${VAR}, ${VAR:-default}, ${VAR:?message} and ${file:/path/of/a/secret}; "
      "$$ is\n"
      "# one $. Over the file go variables such as NEARDUP_WINDOW__WINDOW_MS=1h, and over these\n"
      "# arguments such as --set window.window_ms=1h.\n\n";
  for (const Setting& setting : SettingsTable()) {
    if (SectionOf(setting.path).empty()) example += ExampleEntry(setting);
  }
  for (const SettingSection& section : SettingSections()) {
    example += "\n" + Comment("", section.help) + section.name + ":\n";
    for (const Setting& setting : SettingsTable()) {
      if (SectionOf(setting.path) == section.name) example += ExampleEntry(setting);
    }
  }
  return example;
}

std::string ConfigReference() {
  std::string reference = kTableHead;
  for (const Setting& setting : SettingsTable()) {
    if (SectionOf(setting.path).empty()) reference += ReferenceRow(setting);
  }
  for (const SettingSection& section : SettingSections()) {
    reference += "\n### " + section.name + "\n\n" + section.help + "\n\n" + kTableHead;
    for (const Setting& setting : SettingsTable()) {
      if (SectionOf(setting.path) == section.name) reference += ReferenceRow(setting);
    }
  }
  reference +=
      "\n### librdkafka properties that cannot be set\n\n| Property | Why |\n| --- | --- |\n";
  for (const RefusedProperty& property : RefusedProperties()) {
    reference +=
        "| `" + std::string(property.name) + "` | " + Cell(std::string(property.reason)) + " |\n";
  }
  for (std::string_view name : kRequestsInFlightNames) {
    reference += "| `" + std::string(name) + "` | " + Cell(*RefusalOf(name, "")) + " |\n";
  }
  return reference;
}

namespace {

using Json = nlohmann::ordered_json;

// What ${VAR} stands for is known only when the file is read.
Json Reference() { return {{"$ref", "#/definitions/reference"}}; }

Json TextSchema(const Setting& setting) {
  Json schema = {{"type", "string"}, {"maxLength", kTextBytesMax}};
  if (!setting.pattern.empty()) schema["pattern"] = setting.pattern;
  return {{"anyOf", {schema, Reference()}}};
}

Json NumberSchema(const Setting& setting, const char* unit_expression) {
  Json number = {{"type", "integer"}, {"minimum", setting.min}, {"maximum", setting.max}};
  if (setting.except) number["not"] = {{"const", *setting.except}};
  Json choices = Json::array({number});
  if (unit_expression != nullptr) {
    choices.push_back({{"type", "string"}, {"pattern", unit_expression}});
  }
  choices.push_back(Reference());
  return {{"anyOf", choices}};
}

Json FlagSchema() { return {{"anyOf", {{{"type", "boolean"}}, Reference()}}}; }

Json FieldListSchema(const Setting& setting) {
  Json path = TextSchema(setting);
  Json weight = {{"anyOf",
                  {{{"type", "number"},
                    {"minimum", FieldSelector::kWeightRange.min},
                    {"maximum", FieldSelector::kWeightRange.max}},
                   Reference()}}};
  const auto object = [&path](const char* name, const Json& schema) -> Json {
    return {{"type", "object"},
            {"properties", {{"path", path}, {name, schema}}},
            {"required", Json::array({"path"})},
            {"additionalProperties", false}};
  };
  Json weighted = object("weight", weight);
  Json keyed = object("key", FlagSchema());
  return {
      {"type", "array"}, {"items", {{"anyOf", {path, weighted, keyed}}}}, {"uniqueItems", true}};
}

Json TextMapSchema() {
  Json refused = Json::array();
  for (const RefusedProperty& property : RefusedProperties()) refused.push_back(property.name);
  Json flight = {
      {"anyOf",
       {{{"type", "integer"}, {"minimum", 1}, {"maximum", kRequestsInFlightMax}},
        {{"type", "string"}, {"pattern", "^[1-" + std::to_string(kRequestsInFlightMax) + "]$"}},
        Reference()}}};
  Json properties = Json::object();
  for (std::string_view name : kRequestsInFlightNames) properties[std::string(name)] = flight;
  return {{"type", "object"},
          {"propertyNames", {{"not", {{"enum", refused}}}}},
          {"properties", properties},
          {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
}

Json NumberMapSchema() {
  return {{"type", "object"},
          {"additionalProperties", {{"anyOf", {{{"type", "number"}}, Reference()}}}}};
}

Json ValueSchema(const Setting& setting) {
  switch (setting.kind) {
    case SettingKind::kText:
      return TextSchema(setting);
    case SettingKind::kInteger:
      return NumberSchema(setting, nullptr);
    case SettingKind::kDuration:
      return NumberSchema(setting, kDurationExpression);
    case SettingKind::kBytes:
      return NumberSchema(setting, kBytesExpression);
    case SettingKind::kFlag:
      return FlagSchema();
    case SettingKind::kChoice:
      return {{"anyOf", {{{"enum", setting.choices}}, Reference()}}};
    case SettingKind::kTextList:
      return {{"type", "array"}, {"items", TextSchema(setting)}, {"uniqueItems", true}};
    case SettingKind::kFieldList:
      return FieldListSchema(setting);
    case SettingKind::kTextMap:
      return TextMapSchema();
    case SettingKind::kNumberMap:
      return NumberMapSchema();
  }
  return {};
}

Json SettingSchema(const Setting& setting) {
  Json schema = ValueSchema(setting);
  schema["description"] = setting.help;
  schema["default"] = JsonValue(setting.default_value());
  return schema;
}

}  // namespace

std::string ConfigSchema() {
  Json properties = Json::object();
  for (const Setting& setting : SettingsTable()) {
    std::string section(SectionOf(setting.path));
    if (section.empty()) properties[setting.path] = SettingSchema(setting);
  }
  for (const SettingSection& section : SettingSections()) {
    Json members = Json::object();
    for (const Setting& setting : SettingsTable()) {
      if (SectionOf(setting.path) != section.name) continue;
      members[std::string(KeyOf(setting.path))] = SettingSchema(setting);
    }
    properties[section.name] = {{"description", section.help},
                                {"type", {"object", "null"}},
                                {"properties", members},
                                {"additionalProperties", false}};
  }
  Json reference = {{"description", "${VAR}, ${VAR:-default}, ${VAR:?message} or ${file:/path}"},
                    {"type", "string"},
                    {"pattern", "\\$\\{[^}]+\\}"}};
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "neardup configuration"},
                 {"type", "object"},
                 {"minProperties", 1},
                 {"properties", properties},
                 {"additionalProperties", false},
                 {"definitions", {{"reference", reference}}}};
  return schema.dump(2) + "\n";
}

namespace {

using Json = nlohmann::ordered_json;

std::optional<uint64_t> IndexBytes(const Settings& settings) {
  return FilterBytesMax(settings.lane.filter, UncommittedMax(settings.lane));
}

struct Line {
  std::string text;
  std::string origin;  ///< empty: none
};

class YamlWriter {
 public:
  explicit YamlWriter(const LoadedConfig& config) : config_(config) {}

  std::vector<Line> Lines() {
    std::string section;
    for (const Setting& setting : SettingsTable()) {
      std::string next(SectionOf(setting.path));
      if (next != section) lines_.push_back({next + ":", ""});
      section = next;
      Write(setting, section.empty() ? "" : "  ");
    }
    return std::move(lines_);
  }

 private:
  void Write(const Setting& setting, const std::string& indent) {
    SettingValue value = setting.get(config_.settings);
    std::string head = indent + std::string(KeyOf(setting.path)) + ":";
    std::map<std::string, std::string> entries;
    if (const auto* texts = std::get_if<TextMap>(&value)) {
      for (const auto& [name, text] : *texts) entries[name] = YamlText(text);
    }
    if (const auto* numbers = std::get_if<NumberMap>(&value)) {
      for (const auto& [name, number] : *numbers) entries[name] = RealText(number);
    }
    if (entries.empty()) {
      bool secret = config_.IsSecret(setting.path);
      Add(head + " " + (secret ? MaskText() : YamlText(setting, value)), setting.path);
      return;
    }
    lines_.push_back({head, ""});
    for (const auto& [name, text] : entries) {
      std::string path = setting.path + "." + name;
      Add(indent + "  " + YamlText(name) + ": " + (config_.IsSecret(path) ? MaskText() : text),
          path);
    }
  }

  static std::string MaskText() { return YamlText(std::string(kSecretMask)); }

  void Add(std::string text, const std::string& path) {
    lines_.push_back({std::move(text), Text(config_.origin(path))});
  }

  const LoadedConfig& config_;
  std::vector<Line> lines_;
};

std::string ShowYaml(const LoadedConfig& config, bool with_origin) {
  constexpr size_t kOriginColumnMax = 60;
  std::vector<Line> lines = YamlWriter(config).Lines();
  size_t column = 0;
  for (const Line& line : lines) column = std::max(column, line.text.size());
  column = std::min(column, kOriginColumnMax);
  std::string shown;
  for (const Line& line : lines) {
    shown += line.text;
    if (with_origin && !line.origin.empty()) {
      size_t gap = line.text.size() < column ? column - line.text.size() : 0;
      shown += std::string(gap + 2, ' ') + "# " + line.origin;
    }
    shown += '\n';
  }
  const std::optional<uint64_t> bytes = IndexBytes(config.settings);
  const std::string bound = bytes ? "at most " + std::to_string(*bytes) + " bytes"
                                  : "not bounded; it grows with the records under this scheme";
  return shown + "# index memory at entries_max: " + bound + "\n";
}

Json MaskedValue(const LoadedConfig& config, const Setting& setting) {
  if (config.IsSecret(setting.path)) return kSecretMask;
  Json value = JsonValue(setting.get(config.settings));
  if (!IsMap(setting.kind)) return value;
  for (auto& [name, text] : value.items()) {
    if (config.IsSecret(setting.path + "." + name)) text = kSecretMask;
  }
  return value;
}

std::string ShowJson(const LoadedConfig& config, bool with_origin) {
  Json settings = Json::object();
  Json origins = Json::object();
  for (const Setting& setting : SettingsTable()) {
    std::string section(SectionOf(setting.path));
    std::string key(KeyOf(setting.path));
    Json value = MaskedValue(config, setting);
    origins[setting.path] = Text(config.origin(setting.path));
    if (IsMap(setting.kind)) {
      for (const auto& property : value.items()) {
        std::string path = setting.path + "." + property.key();
        origins[path] = Text(config.origin(path));
      }
    }
    (section.empty() ? settings : settings[section])[key] = std::move(value);
  }
  const std::optional<uint64_t> bytes = IndexBytes(config.settings);
  Json shown = {{"settings", settings},
                {"index_bytes_at_entries_max", bytes ? Json(*bytes) : Json(nullptr)}};
  if (with_origin) shown["origins"] = origins;
  return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string ShowConfig(const LoadedConfig& config, const ShowOptions& options) {
  return options.json ? ShowJson(config, options.with_origin)
                      : ShowYaml(config, options.with_origin);
}

std::string ShortConfig(const Settings& settings, const ConfigComments& comments) {
  std::string text;
  for (const std::string& paragraph : comments.head) text += Comment("", paragraph);
  std::string open_section;
  for (const Setting& setting : SettingsTable()) {
    const auto comment = comments.settings.find(setting.path);
    const bool explained = comment != comments.settings.end();
    const SettingValue value = setting.get(settings);
    if (!explained && value == setting.default_value()) continue;
    const std::string section(SectionOf(setting.path));
    if (section != open_section) text += '\n' + section + ":\n";
    open_section = section;
    const std::string indent = section.empty() ? "" : "  ";
    if (explained && !comment->second.empty()) text += Comment(indent, comment->second);
    text += indent + std::string(KeyOf(setting.path)) + ": " + YamlText(setting, value) + '\n';
  }
  return text;
}

}  // namespace neardup
