// The settings table: one row per setting. The parser, the checks, the JSON Schema, the example
// file and the reference all read it, so none of them can differ from the others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "neardup/options.h"
#include "service/config/settings.h"

namespace neardup {

enum class SettingKind : uint8_t {
  kText,
  kInteger,
  kDuration,  ///< milliseconds, or a number with a unit
  kBytes,     ///< bytes, or a number with a unit
  kShare,     ///< a number from 0 to 1, with or without decimals
  kFlag,
  kChoice,  ///< the value is the name of the choice
  kTextList,
  kFieldList,
  kTextMap,  ///< such as librdkafka properties; each entry can be set by itself, as path.name
};

using TextMap = std::map<std::string, std::string>;
using SettingValue = std::variant<std::string, int64_t, double, bool, std::vector<std::string>,
                                  std::vector<FieldSelector>, TextMap>;

struct Setting {
  /// Dotted path in the file, such as window.window_ms.
  std::string path;
  SettingKind kind = SettingKind::kText;
  std::string help;
  /// Numbers: the range, inclusive, and optionally one number inside it that is not allowed.
  int64_t min = 0;
  int64_t max = 0;
  std::optional<int64_t> except;
  std::vector<std::string> choices;
  /// Texts and items of lists: a regular expression (ECMAScript) for the whole text, and what it
  /// takes in words. Empty: any text.
  std::string pattern;
  std::string pattern_words;
  /// Never printed, and not written out in a file.
  bool secret = false;
  /// Read and write the member of Settings that the row stands for.
  std::function<SettingValue(const Settings&)> get;
  std::function<void(Settings&, const SettingValue&)> set;

  SettingValue default_value() const { return get(Settings{}); }
};

/// A section of the file. Its name is the text before the dot of a path; `app` is in no section.
struct SettingSection {
  std::string name;
  std::string help;
};

/// All rows and all sections, in the order of the example file.
const std::vector<Setting>& SettingsTable();
const std::vector<SettingSection>& SettingSections();

/// nullptr if no row has this path.
const Setting* FindSetting(std::string_view path);
/// window.window_ms -> window; empty for a setting in no section.
std::string_view SectionOf(std::string_view path);
/// window.window_ms -> window_ms.
std::string_view KeyOf(std::string_view path);

/// Longest text that a setting takes, in bytes.
inline constexpr size_t kTextBytesMax = 4096;

}  // namespace neardup
