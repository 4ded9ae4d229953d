// Whole numbers, times and sizes as people write them: 100, 24h, 8MiB.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "config/assignment.h"
#include "config/settings_table.h"

namespace neardup {

/// Decimal digits with an optional '-', no leading zeros; nullopt for anything else, also for a
/// number that does not fit.
std::optional<int64_t> ParseInteger(std::string_view text);
/// A whole number with ms, s, m, h or d -> milliseconds.
std::optional<int64_t> ParseDuration(std::string_view text);
/// A whole number with B, KB, MB, GB (powers of 1000), KiB, MiB or GiB -> bytes.
std::optional<int64_t> ParseBytes(std::string_view text);

/// The shortest text that the parser above reads back as the same value.
std::string DurationText(int64_t milliseconds);
std::string BytesText(int64_t bytes);

/// What the parsers take, as a regular expression for the JSON Schema.
inline constexpr char kDurationExpression[] = "^(0|[1-9][0-9]*)(ms|s|m|h|d)$";
inline constexpr char kBytesExpression[] = "^(0|[1-9][0-9]*)(B|KB|MB|GB|KiB|MiB|GiB)$";

// Values of settings as text and as JSON.

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

// Turns what stands in YAML into the value of a setting, or complains.

/// What is printed instead of a secret.
inline constexpr char kSecretMask[] = "******";

/// What the setting takes, in words: "a whole number from 0 to 7".
std::string ExpectationText(const Setting& setting);

/// nullopt: at least one complaint was made. For one property of a map setting the value is a map
/// with that property alone.
std::optional<SettingValue> ReadValue(const Assignment& assignment, ConfigErrors& errors);

}  // namespace neardup
