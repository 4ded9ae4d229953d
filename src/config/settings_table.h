// The settings table: one row per setting. Parser, checks, JSON Schema, example file and reference
// all read it, so none of them can drift from the others.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// How a row of the settings table is bound to a member of Settings. Only settings_table.cc and
// the row files include this.
/// Names a member for both const and non-const Settings.
#define NEARDUP_MEMBER(member) \
  [](auto& settings) -> auto& { return settings.member; }

struct Range {
  int64_t min;
  int64_t max;
};

struct Pattern {
  std::string expression;
  std::string words;
};

/// Text, list and map rows: the member is of one of SettingValue's types already.
template <class Value, class Member>
Setting PlainRow(SettingKind kind, std::string path, Member member, std::string help) {
  Setting row;
  row.path = std::move(path);
  row.kind = kind;
  row.help = std::move(help);
  row.get = [member](const Settings& settings) { return SettingValue(Value(member(settings))); };
  row.set = [member](Settings& settings, const SettingValue& value) {
    member(settings) = std::get<Value>(value);
  };
  return row;
}

template <class Member>
Setting TextRow(std::string path, Member member, Pattern pattern, std::string help) {
  Setting row = PlainRow<std::string>(SettingKind::kText, std::move(path), member, std::move(help));
  row.pattern = std::move(pattern.expression);
  row.pattern_words = std::move(pattern.words);
  return row;
}

template <class Member>
Setting TextListRow(std::string path, Member member, Pattern pattern, std::string help) {
  Setting row = PlainRow<std::vector<std::string>>(SettingKind::kTextList, std::move(path), member,
                                                   std::move(help));
  row.pattern = std::move(pattern.expression);
  row.pattern_words = std::move(pattern.words);
  return row;
}

template <class Member>
Setting NumberRow(SettingKind kind, std::string path, Member member, Range range,
                  std::string help) {
  Setting row;
  row.path = std::move(path);
  row.kind = kind;
  row.help = std::move(help);
  row.min = range.min;
  row.max = range.max;
  row.get = [member](const Settings& settings) {
    return SettingValue(static_cast<int64_t>(member(settings)));
  };
  row.set = [member](Settings& settings, const SettingValue& value) {
    auto& target = member(settings);
    target = static_cast<std::decay_t<decltype(target)>>(std::get<int64_t>(value));
  };
  return row;
}

template <class Member>
Setting FlagRow(std::string path, Member member, std::string help) {
  return PlainRow<bool>(SettingKind::kFlag, std::move(path), member, std::move(help));
}

/// `names` holds the name of every value of the enum, in the order of the enum.
template <class Member>
Setting ChoiceRow(std::string path, Member member, std::vector<std::string> names,
                  std::string help) {
  Setting row;
  row.path = std::move(path);
  row.kind = SettingKind::kChoice;
  row.help = std::move(help);
  row.choices = names;
  row.get = [member, names](const Settings& settings) {
    return SettingValue(names.at(static_cast<size_t>(member(settings))));
  };
  row.set = [member, names](Settings& settings, const SettingValue& value) {
    auto& target = member(settings);
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == std::get<std::string>(value)) {
        target = static_cast<std::decay_t<decltype(target)>>(i);
      }
    }
  };
  return row;
}

/// The rows of the table, by the part of the product they belong to.
std::vector<Setting> StreamRows();   ///< app, input, output
std::vector<Setting> FilterRows();   ///< record, feature, match, window
std::vector<Setting> EngineRows();   ///< transaction, lease, retry, threads, kafka
std::vector<Setting> ProcessRows();  ///< metrics, log, state

}  // namespace neardup
