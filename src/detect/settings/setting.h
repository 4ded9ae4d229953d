// Settings: the named values of a configuration. A table has one row for each. The parsers, the
// checks, the JSON Schema, the example file and the reference all read the rows, so none of them
// can differ from the others. filter_settings_table.h has the rows of a filter, and the service
// adds its own (service/config/settings_table.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "neardup/options.h"

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

/// Longest text that a setting takes, in bytes.
inline constexpr size_t kTextBytesMax = 4096;

/// How a running service takes over a new value.
enum class Reloads : uint8_t {
  kNever,  ///< it refuses the new configuration: the process must start again
  kAgain,  ///< the service starts again within the process
  kLive,
};

struct SettingRow {
  /// Dotted path in the file, such as window.window_ms.
  std::string path;
  SettingKind kind = SettingKind::kText;
  std::string help{};
  /// Numbers: the range, inclusive, and optionally one number inside it that is not allowed.
  int64_t min = 0;
  int64_t max = 0;
  std::optional<int64_t> except{};
  std::vector<std::string> choices{};
  /// Texts and items of lists: a regular expression (ECMAScript) for the whole text, and what it
  /// takes in words. Empty: any text.
  std::string pattern{};
  std::string pattern_words{};
  /// For maps: says why an entry is refused, or nullopt. A null pointer refuses no entry.
  std::optional<std::string> (*refusal)(std::string_view name, std::string_view value) = nullptr;
  /// Never printed, and not written out in a file.
  bool secret = false;
  /// Learning chooses the value, unless a person gives it.
  bool learned = false;
  Reloads reloads = Reloads::kNever;
};

/// A row with its member of Options.
template <class Options>
struct SettingOf : SettingRow {
  std::function<SettingValue(const Options&)> get{};
  std::function<void(Options&, const SettingValue&)> set{};

  SettingValue default_value() const { return get(Options{}); }
};

/// A regular expression for a whole text, and what it takes in words.
struct TextPattern {
  std::string_view expression;
  std::string_view words;
};

inline constexpr TextPattern kAnyText = {};
// RFC 6901: in a pointer, '~' only stands before 0 or 1.
inline constexpr TextPattern kFieldPattern = {
    "^([^/][\\s\\S]*|(/([^~/]|~[01])*)+)$",
    "a field: a top-level name, or a JSON Pointer such as /article/title"};
inline constexpr TextPattern kFieldOrNonePattern = {
    "^(|[^/][\\s\\S]*|(/([^~/]|~[01])*)+)$",
    "a field: a top-level name, or a JSON Pointer such as /article/title, or \"\" for none"};

/// Becomes the row of any Options of which `member` is a member. `Codec` turns the member into a
/// SettingValue and back.
template <class Member, class Codec>
struct MemberRow {
  SettingRow row;
  Member member;
  Codec codec;

  template <class Options>
  operator SettingOf<Options>() const {  // NOLINT(google-explicit-constructor)
    SettingOf<Options> setting{row};
    setting.get = [member = member, codec = codec](const Options& options) -> SettingValue {
      return codec.Get(member(options));
    };
    setting.set = [member = member, codec = codec](Options& options, const SettingValue& value) {
      codec.Set(member(options), value);
    };
    return setting;
  }

  MemberRow Secret() && {
    row.secret = true;
    return std::move(*this);
  }
  MemberRow Learned() && {
    row.learned = true;
    return std::move(*this);
  }
  MemberRow Reloading(Reloads reloads) && {
    row.reloads = reloads;
    return std::move(*this);
  }
  /// 0 is inside the range and not allowed.
  MemberRow WithoutZero() && {
    row.except = 0;
    return std::move(*this);
  }
};

/// A member whose type is one of SettingValue's.
template <class Value>
struct PlainCodec {
  SettingValue Get(const auto& member) const { return Value(member); }
  void Set(auto& member, const SettingValue& value) const { member = std::get<Value>(value); }
};

struct NumberCodec {
  SettingValue Get(auto member) const { return static_cast<int64_t>(member); }
  void Set(auto& member, const SettingValue& value) const {
    member = static_cast<std::decay_t<decltype(member)>>(std::get<int64_t>(value));
  }
};

struct ChoiceCodec {
  std::vector<std::string> names;

  SettingValue Get(auto member) const { return names.at(static_cast<size_t>(member)); }
  void Set(auto& member, const SettingValue& value) const {
    const auto name = std::ranges::find(names, std::get<std::string>(value));
    if (name == names.end()) return;
    member = static_cast<std::decay_t<decltype(member)>>(name - names.begin());
  }
};

// Each function below makes a row of one kind. `member` returns the row's member of the options,
// const or not.

#define NEARDUP_MEMBER(member) \
  [](auto& options) -> auto& { return options.member; }

template <class Value, class Member>
MemberRow<Member, PlainCodec<Value>> PlainSetting(SettingKind kind, std::string path, Member member,
                                                  const TextPattern& pattern, std::string help) {
  SettingRow row{std::move(path), kind, std::move(help)};
  row.pattern = pattern.expression;
  row.pattern_words = pattern.words;
  return {std::move(row), member, {}};
}

auto TextSetting(std::string path, auto member, const TextPattern& pattern, std::string help) {
  return PlainSetting<std::string>(SettingKind::kText, std::move(path), member, pattern,
                                   std::move(help));
}

/// The pattern holds for each item.
auto TextListSetting(std::string path, auto member, const TextPattern& pattern, std::string help) {
  return PlainSetting<std::vector<std::string>>(SettingKind::kTextList, std::move(path), member,
                                                pattern, std::move(help));
}

auto FieldListSetting(std::string path, auto member, std::string help) {
  return PlainSetting<std::vector<FieldSelector>>(SettingKind::kFieldList, std::move(path), member,
                                                  kFieldPattern, std::move(help));
}

auto ShareSetting(std::string path, auto member, std::string help) {
  return PlainSetting<double>(SettingKind::kShare, std::move(path), member, kAnyText,
                              std::move(help));
}

auto FlagSetting(std::string path, auto member, std::string help) {
  return PlainSetting<bool>(SettingKind::kFlag, std::move(path), member, kAnyText, std::move(help));
}

template <class Member, class Number>
MemberRow<Member, NumberCodec> NumberSetting(SettingKind kind, std::string path, Member member,
                                             Range<Number> range, std::string help) {
  SettingRow row{std::move(path), kind, std::move(help)};
  row.min = static_cast<int64_t>(range.min);
  row.max = static_cast<int64_t>(range.max);
  return {std::move(row), member, {}};
}

template <class Member, class Number = int64_t>
auto IntegerSetting(std::string path, Member member, Range<Number> range, std::string help) {
  return NumberSetting(SettingKind::kInteger, std::move(path), member, range, std::move(help));
}

template <class Member, class Number = int64_t>
auto DurationSetting(std::string path, Member member, Range<Number> range, std::string help) {
  return NumberSetting(SettingKind::kDuration, std::move(path), member, range, std::move(help));
}

template <class Member, class Number = int64_t>
auto BytesSetting(std::string path, Member member, Range<Number> range, std::string help) {
  return NumberSetting(SettingKind::kBytes, std::move(path), member, range, std::move(help));
}

/// `names` holds the name of every value of the enum, in the order of the enum.
template <class Member>
MemberRow<Member, ChoiceCodec> ChoiceSetting(std::string path, Member member,
                                             std::vector<std::string> names, std::string help) {
  SettingRow row{std::move(path), SettingKind::kChoice, std::move(help)};
  row.choices = names;
  return {std::move(row), member, {std::move(names)}};
}

}  // namespace neardup
