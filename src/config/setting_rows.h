// How a row of the settings table is bound to a member of Settings. Only settings_table.cc and
// the row files include this.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/settings_table.h"

/// Names a member for both const and non-const Settings.
#define NEARDUP_MEMBER(member) \
  [](auto& settings) -> auto& { return settings.member; }

namespace neardup {

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
