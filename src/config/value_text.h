// Values of settings as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/settings_table.h"

namespace neardup {

/// A scalar that YAML reads back as this text, with quotes where it needs them and $ doubled.
std::string YamlText(const std::string& text);
/// As short as it can be read back: 2, 0.7.
std::string RealText(double number);
/// A value on one line that reads back as the same value: 24h, [title, {path: body, weight: 2}].
std::string YamlText(const Setting& setting, const SettingValue& value);
/// Numbers without a unit.
nlohmann::ordered_json JsonValue(const SettingValue& value);
/// JSON text on one line; bytes that are no UTF-8 are replaced.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace neardup
