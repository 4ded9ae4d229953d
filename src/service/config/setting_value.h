// Values of settings: as YAML and JSON text, and read from YAML.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/config/assignment.h"
#include "service/config/settings_table.h"

namespace neardup {

/// Printed instead of a secret.
inline constexpr char kSecretMask[] = "******";

/// A scalar that YAML reads back as this text: quoted where necessary, with every $ doubled.
std::string YamlText(const std::string& text);
/// The shortest text that reads back as the same number: 2, 0.7.
std::string RealText(double number);
/// A value on one line that reads back as the same value: 24h, [title, {path: body, weight: 2}].
std::string YamlText(const Setting& setting, const SettingValue& value);
/// Durations and sizes become numbers, in milliseconds and bytes.
nlohmann::ordered_json JsonValue(const SettingValue& value);
/// JSON text on one line; bytes that are not UTF-8 are replaced.
std::string JsonText(const nlohmann::ordered_json& json);

/// What the setting takes, in words: "a whole number from 0 to 7".
std::string ExpectationText(const Setting& setting);

/// The value of the assignment's setting; of a single map entry, a map with that entry alone.
/// nullopt: the value is wrong, which is reported to `errors`.
std::optional<SettingValue> ReadValue(const Assignment& assignment, ConfigErrors& errors);

}  // namespace neardup
