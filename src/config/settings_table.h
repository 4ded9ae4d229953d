// The settings table: one row per setting. Parser, checks, JSON Schema, example file and reference
// all read it, so none of them can drift from the others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.h"
#include "neardup/options.h"

namespace neardup {

enum class SettingKind : uint8_t {
  kText,
  kInteger,
  kDuration,  ///< milliseconds, or a number with a unit
  kBytes,     ///< bytes, or a number with a unit
  kFlag,
  kChoice,  ///< the value is the name of the choice
  kTextList,
  kFieldList,
  kTextMap,    ///< librdkafka properties
  kNumberMap,  ///< parameters of a scheme
};

/// The setting has entries that are settings of their own: path.name.
constexpr bool IsMap(SettingKind kind) {
  return kind == SettingKind::kTextMap || kind == SettingKind::kNumberMap;
}

using TextMap = std::map<std::string, std::string>;
using NumberMap = std::map<std::string, double>;
using SettingValue = std::variant<std::string, int64_t, bool, std::vector<std::string>,
                                  std::vector<FieldSelector>, TextMap, NumberMap>;

struct Setting {
  /// Dotted path in the file, such as window.window_ms.
  std::string path;
  SettingKind kind = SettingKind::kText;
  std::string help;
  /// Numbers: the range, inclusive, and one number inside it that is not allowed.
  int64_t min = 0;
  int64_t max = 0;
  std::optional<int64_t> except;
  std::vector<std::string> choices;
  /// Texts and items of lists: a regular expression (ECMAScript) for the whole text, and the same
  /// in words. Empty: any text.
  std::string pattern;
  std::string pattern_words;
  /// Bind the row to its member of Settings.
  std::function<SettingValue(const Settings&)> get;
  std::function<void(Settings&, const SettingValue&)> set;

  SettingValue default_value() const { return get(Settings{}); }
};

/// The text before the dot of a path; `app` has none.
struct SettingSection {
  std::string name;
  std::string help;
};

const std::vector<Setting>& SettingsTable();
const std::vector<SettingSection>& SettingSections();

/// nullptr if there is no such row.
const Setting* FindSetting(std::string_view path);
/// window.window_ms -> window; empty for a setting outside all sections.
std::string_view SectionOf(std::string_view path);
/// window.window_ms -> window_ms.
std::string_view KeyOf(std::string_view path);

/// Bounds of FieldSelector::weight.
inline constexpr double kWeightMin = 0.1;
inline constexpr double kWeightMax = 100;
/// Longest text taken for a setting.
inline constexpr size_t kTextBytesMax = 4096;

}  // namespace neardup
