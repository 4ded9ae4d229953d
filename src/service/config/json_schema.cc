#include "config/json_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "config/setting_value.h"
#include "config/settings_table.h"
#include "kafka/property_rules.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

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
