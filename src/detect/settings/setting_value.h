// Values of settings: read from what a person wrote, and printed as YAML and JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "detect/settings/setting.h"

namespace neardup {

struct WrittenKey {
  std::string text;
  int line = 0;
};

/// A value as it is written in YAML or JSON, in a variable or on a command line, before it is
/// checked.
struct WrittenValue {
  enum class Form : uint8_t { kNull, kScalar, kList, kMap };
  enum class Style : uint8_t {
    kPlain,   ///< 5 is a number
    kQuoted,  ///< "5" is text
    kGiven,   ///< from a variable or an argument: 5 is whatever the setting needs
  };

  Form form = Form::kNull;
  int line = 0;
  std::string text;
  Style style = Style::kPlain;
  /// Holds the text of a secret file, which must never be printed.
  bool secret = false;
  /// The items of a list, or the values of a map: keys[i] belongs to items[i].
  std::vector<WrittenValue> items;
  std::vector<WrittenKey> keys;
};

/// The same value, which was written as JSON.
WrittenValue WrittenAs(const nlohmann::ordered_json& json);

/// What is wrong with a value: the setting or the part of it, what was found and expected, and the
/// line of the value (0: none).
struct SettingProblem {
  std::string path;
  std::string text;
  int line = 0;
};

/// The value of the row; for a map and a named `entry`, a map that holds only this entry. nullopt:
/// the value is wrong, and `problems` says why.
std::optional<SettingValue> ReadValue(const SettingRow& row, const WrittenValue& value,
                                      std::vector<SettingProblem>& problems,
                                      const std::string& entry = "");

/// Printed instead of a secret.
inline constexpr char kSecretMask[] = "******";

/// A scalar that YAML reads back as this text: quoted where necessary, with every $ doubled.
std::string YamlText(const std::string& text);
/// The shortest text that reads back as the same number: 2, 0.7.
std::string RealText(double number);
/// A value on one line that reads back as the same value: 24h, [title, {path: body, weight: 2}].
std::string YamlText(const SettingRow& row, const SettingValue& value);
/// Durations and sizes become numbers, in milliseconds and bytes. A field is its path if nothing
/// else is said about it.
nlohmann::ordered_json JsonValue(const SettingValue& value);
/// JSON text on one line; bytes that are not UTF-8 are replaced.
std::string JsonText(const nlohmann::ordered_json& json);

/// What the setting takes, in words: "a whole number from 0 to 7".
std::string ExpectationText(const SettingRow& row);

}  // namespace neardup
