#include "service/config/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "detect/base/quantity.h"
#include "detect/settings/setting_value.h"
#include "kafka/properties.h"
#include "service/config/settings_table.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

/// The table of memory as YAML comments.
std::string MemoryText(const MemoryTable& table, const ShowOptions& options) {
  std::string text =
      fmt::format("# memory in bytes, at most, with {} input partitions on {} {}:\n",
                  options.partitions, options.cores, options.cores == 1 ? "core" : "cores");
  for (const MemoryRow& row : table.rows) {
    text += fmt::format("#   {:<22}{:>14}  {}\n", row.part, row.bytes, row.bound_by);
  }
  return text + fmt::format("#   {:<22}{:>14}\n", "total", table.total);
}

Json MemoryJson(const MemoryTable& table, const ShowOptions& options) {
  Json parts = Json::array();
  for (const MemoryRow& row : table.rows) {
    parts.push_back({{"part", row.part}, {"bytes", row.bytes}, {"bound_by", row.bound_by}});
  }
  return {{"partitions", options.partitions},
          {"cores", options.cores},
          {"parts", parts},
          {"total_bytes", table.total}};
}

/// One line of the YAML that ShowConfig prints.
struct Line {
  std::string text;
  std::string source;  ///< empty: none
};

/// Writes a configuration as lines of YAML, with secrets masked.
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
    const std::string head = fmt::format("{}{}:", indent, KeyOf(setting.path));
    std::map<std::string, std::string> entries;
    if (const auto* texts = std::get_if<TextMap>(&value)) {
      for (const auto& [name, text] : *texts) entries[name] = YamlText(text);
    }
    if (entries.empty()) {
      bool secret = config_.IsSecret(setting.path);
      Add(fmt::format("{} {}", head, secret ? MaskText() : YamlText(setting, value)), setting.path);
      return;
    }
    lines_.push_back({head, ""});
    for (const auto& [name, text] : entries) {
      std::string path = setting.path + "." + name;
      Add(fmt::format("{}  {}: {}", indent, YamlText(name),
                      config_.IsSecret(path) ? MaskText() : text),
          path);
    }
  }

  static std::string MaskText() { return YamlText(std::string(kSecretMask)); }

  void Add(std::string text, const std::string& path) {
    lines_.push_back({std::move(text), Text(config_.SourceOf(path))});
  }

  const LoadedConfig& config_;
  std::vector<Line> lines_;
};

std::string ShowYaml(const LoadedConfig& config, const ShowOptions& options) {
  constexpr size_t kSourceColumnMax = 60;
  std::vector<Line> lines = YamlWriter(config).Lines();
  size_t column = 0;
  for (const Line& line : lines) column = std::max(column, line.text.size());
  column = std::min(column, kSourceColumnMax);
  std::string shown;
  for (const Line& line : lines) {
    shown += line.text;
    if (options.with_sources && !line.source.empty()) {
      size_t gap = line.text.size() < column ? column - line.text.size() : 0;
      shown += fmt::format("{:{}}# {}", "", gap + 2, line.source);
    }
    shown += '\n';
  }
  return shown + MemoryText(MemoryOf(config.settings, options.partitions, options.cores), options);
}

Json MaskedValue(const LoadedConfig& config, const Setting& setting) {
  if (config.IsSecret(setting.path)) return kSecretMask;
  Json value = JsonValue(setting.get(config.settings));
  if (setting.kind != SettingKind::kTextMap) return value;
  for (auto& [name, text] : value.items()) {
    if (config.IsSecret(setting.path + "." + name)) text = kSecretMask;
  }
  return value;
}

std::string ShowJson(const LoadedConfig& config, const ShowOptions& options) {
  Json settings = Json::object();
  Json sources = Json::object();
  for (const Setting& setting : SettingsTable()) {
    std::string section(SectionOf(setting.path));
    std::string key(KeyOf(setting.path));
    Json value = MaskedValue(config, setting);
    sources[setting.path] = Text(config.SourceOf(setting.path));
    if (setting.kind == SettingKind::kTextMap) {
      for (const auto& property : value.items()) {
        std::string path = setting.path + "." + property.key();
        sources[path] = Text(config.SourceOf(path));
      }
    }
    (section.empty() ? settings : settings[section])[key] = std::move(value);
  }
  const MemoryTable table = MemoryOf(config.settings, options.partitions, options.cores);
  Json shown = {{"settings", settings}, {"memory", MemoryJson(table, options)}};
  if (options.with_sources) shown["origins"] = sources;
  return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

constexpr size_t kColumns = 100;

/// The text as comment lines of at most kColumns characters.
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

/// Whether the example file shows what the setting takes. The help of texts and lists explains it.
bool HasRange(const Setting& setting) {
  switch (setting.kind) {
    case SettingKind::kInteger:
    case SettingKind::kDuration:
    case SettingKind::kBytes:
    case SettingKind::kShare:
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
  return text + fmt::format("{}{}: {}\n", indent, KeyOf(setting.path), DefaultText(setting));
}

/// Text for a cell of a Markdown table, where '|' would end the cell and '<' would start markup.
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
  return fmt::format("| `{}` | `{}` | {} | {} |\n", setting.path, DefaultText(setting),
                     Cell(ExpectationText(setting)), Cell(setting.help));
}

constexpr char kTableHead[] =
    "| Setting | Default | Takes | Meaning |\n| --- | --- | --- | --- |\n";

}  // namespace

std::string ShowConfig(const LoadedConfig& config, const ShowOptions& options) {
  return options.json ? ShowJson(config, options) : ShowYaml(config, options);
}

std::string ConfigExample() {
  std::string example =
      "# Every setting of neardup with its default. `neardup config example` prints this file.\n"
      "# Your file needs only the settings that differ from their defaults.\n"
      "#\n"
      "# Values may hold the references ${VAR}, ${VAR:-default}, ${VAR:?message} and\n"
      "# ${file:/path/of/a/secret}; write $$ for one $. Environment variables such as\n"
      "# NEARDUP_WINDOW__WINDOW_MS=1h override the file, and arguments such as\n"
      "# --set window.window_ms=1h override both.\n\n";
  for (const Setting& setting : SettingsTable()) {
    if (SectionOf(setting.path).empty()) example += ExampleEntry(setting);
  }
  for (const SettingSection& section : SettingSections()) {
    example += fmt::format("\n{}{}:\n", Comment("", section.help), section.name);
    for (const Setting& setting : SettingsTable()) {
      if (SectionOf(setting.path) == section.name) example += ExampleEntry(setting);
    }
  }
  return example;
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
    if (!explained && setting.path == "app" && settings.app_is_default) continue;
    const std::string section(SectionOf(setting.path));
    if (section != open_section) text += fmt::format("\n{}:\n", section);
    open_section = section;
    const std::string indent = section.empty() ? "" : "  ";
    if (explained && !comment->second.empty()) text += Comment(indent, comment->second);
    text += fmt::format("{}{}: {}\n", indent, KeyOf(setting.path), YamlText(setting, value));
  }
  return text;
}

std::string ConfigReference() {
  std::string reference = kTableHead;
  for (const Setting& setting : SettingsTable()) {
    if (SectionOf(setting.path).empty()) reference += ReferenceRow(setting);
  }
  for (const SettingSection& section : SettingSections()) {
    reference += fmt::format("\n### {}\n\n{}\n\n{}", section.name, section.help, kTableHead);
    for (const Setting& setting : SettingsTable()) {
      if (SectionOf(setting.path) == section.name) reference += ReferenceRow(setting);
    }
  }
  reference +=
      "\n### librdkafka properties that cannot be set\n\n| Property | Why |\n| --- | --- |\n";
  for (const RefusedProperty& property : RefusedProperties()) {
    reference += fmt::format("| `{}` | {} |\n", property.name, Cell(std::string(property.reason)));
  }
  for (std::string_view name : kRequestsInFlightNames) {
    reference += fmt::format("| `{}` | {} |\n", name, Cell(*RefusalOf(name, "")));
  }
  return reference;
}

namespace {

/// Takes a reference such as ${VAR}, whose value is known only when the file is read.
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
  Json free = object("free", FlagSchema());
  return {{"type", "array"},
          {"items", {{"anyOf", {path, weighted, keyed, free}}}},
          {"uniqueItems", true}};
}

Json TextMapSchema() {
  Json refused = Json::array();
  for (const RefusedProperty& property : RefusedProperties()) refused.push_back(property.name);
  Json flight = {{"anyOf",
                  {{{"type", "integer"}, {"minimum", 1}, {"maximum", kRequestsInFlightMax}},
                   {{"type", "string"}, {"pattern", fmt::format("^[1-{}]$", kRequestsInFlightMax)}},
                   Reference()}}};
  Json properties = Json::object();
  for (std::string_view name : kRequestsInFlightNames) properties[std::string(name)] = flight;
  return {{"type", "object"},
          {"propertyNames", {{"not", {{"enum", refused}}}}},
          {"properties", properties},
          {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
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
    case SettingKind::kShare:
      return {{"anyOf", {{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, Reference()}}};
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

}  // namespace neardup
