#include "detect/settings/setting_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>
#include <set>

#include "detect/base/message_text.h"
#include "detect/base/quantity.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;
using Form = WrittenValue::Form;
using Style = WrittenValue::Style;

std::string NumberText(const SettingRow& setting, int64_t number) {
  switch (setting.kind) {
    case SettingKind::kDuration:
      return number == 0 ? "0" : DurationText(number);
    case SettingKind::kBytes:
      return BytesText(number);
    default:
      return std::to_string(number);
  }
}

std::string FieldText(const FieldSelector& field) {
  if (!field.is_text()) {
    return fmt::format("{{path: {}, {}: true}}", YamlText(field.path), field.key ? "key" : "free");
  }
  if (field.weight == FieldSelector{}.weight) return YamlText(field.path);
  return fmt::format("{{path: {}, weight: {}}}", YamlText(field.path), RealText(field.weight));
}

template <class Items, class ItemText>
std::string Joined(const Items& items, const ItemText& item_text) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + item_text(item);
  return text;
}

std::string ExpectationOfText(const SettingRow& setting) {
  return setting.pattern_words.empty() ? "text" : setting.pattern_words;
}

std::optional<bool> ParseFlag(const std::string& text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

/// Whether a YAML 1.1 or 1.2 reader takes the text for a number or a flag.
bool LooksLikeNumberOrFlag(const std::string& text) {
  static const std::regex other(
      "[-+]?(\\.?[0-9][0-9_]*(\\.[0-9_]*)?([eE][-+]?[0-9]+)?|0[xob][0-9a-fA-F_]+"
      "|\\.(inf|Inf|INF)|[0-9]+(:[0-9]+)+(\\.[0-9]*)?)|\\.(nan|NaN|NAN)"
      "|true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF");
  return text.size() < 64 && std::regex_match(text, other);
}

class Reader {
 public:
  Reader(const SettingRow& setting, const std::string& entry, std::vector<SettingProblem>& problems)
      : setting_(setting), entry_(entry), problems_(problems) {
    if (!setting.pattern.empty()) pattern_ = std::regex(setting.pattern);
  }

  std::optional<SettingValue> Read(const WrittenValue& value) {
    switch (setting_.kind) {
      case SettingKind::kText:
        return Checked(value, setting_.path);
      case SettingKind::kInteger:
      case SettingKind::kDuration:
      case SettingKind::kBytes:
        return ReadNumber(value);
      case SettingKind::kShare:
        return ReadShare(value);
      case SettingKind::kFlag:
        return ReadFlag(value, setting_.path);
      case SettingKind::kChoice:
        return ReadChoice(value);
      case SettingKind::kTextList:
        return ReadTextList(value);
      case SettingKind::kFieldList:
        return ReadFieldList(value);
      case SettingKind::kTextMap:
        return ReadMap(value);
    }
    return std::nullopt;
  }

 private:
  void Complain(const WrittenValue& value, const std::string& path, const std::string& text) {
    problems_.push_back({path, text, value.line});
  }

  void Refuse(const WrittenValue& value, const std::string& path, const std::string& expected) {
    Complain(value, path, fmt::format("found {}, expected {}", Found(value), expected));
  }

  static std::string Found(const WrittenValue& value) {
    constexpr size_t kShownBytes = 60;
    switch (value.form) {
      case Form::kNull:
        return "nothing";
      case Form::kList:
        return "a list";
      case Form::kMap:
        return "a map";
      case Form::kScalar:
        break;
    }
    if (value.secret) return kSecretMask;
    if (value.text.size() > kShownBytes) {
      return fmt::format("a text of {} bytes", value.text.size());
    }
    const bool plain = value.style != Style::kQuoted && !value.text.empty();
    return plain ? value.text : fmt::format("the text \"{}\"", value.text);
  }

  /// Text of any form, not held against the pattern yet.
  std::optional<std::string> Text(const WrittenValue& value, const std::string& path,
                                  const std::string& expected) {
    if (value.form != Form::kScalar) {
      Refuse(value, path, expected);
      return std::nullopt;
    }
    if (value.style == Style::kPlain && LooksLikeNumberOrFlag(value.text)) {
      Refuse(value, path, fmt::format("text; write \"{}\"", value.text));
      return std::nullopt;
    }
    return value.text;
  }

  /// Text that fits the pattern of the setting.
  std::optional<std::string> Checked(const WrittenValue& value, const std::string& path) {
    const std::string expected = ExpectationOfText(setting_);
    std::optional<std::string> text = Text(value, path, expected);
    if (!text) return std::nullopt;
    // The length is checked first, because std::regex recurses with the length of the text.
    const bool fits = text->size() <= kTextBytesMax && text->find('\0') == std::string::npos &&
                      (!pattern_ || std::regex_match(*text, *pattern_));
    if (fits) return text;
    Refuse(value, path, expected);
    return std::nullopt;
  }

  std::optional<SettingValue> ReadNumber(const WrittenValue& value) {
    std::optional<int64_t> number;
    if (value.form == Form::kScalar) {
      if (value.style != Style::kQuoted) number = ParseInteger(value.text);
      if (!number && setting_.kind == SettingKind::kDuration) number = ParseDuration(value.text);
      if (!number && setting_.kind == SettingKind::kBytes) number = ParseBytes(value.text);
    }
    if (number && *number >= setting_.min && *number <= setting_.max && number != setting_.except) {
      return *number;
    }
    Refuse(value, setting_.path, ExpectationText(setting_));
    return std::nullopt;
  }

  std::optional<bool> ReadFlag(const WrittenValue& value, const std::string& path) {
    std::optional<bool> flag;
    if (value.form == Form::kScalar && value.style != Style::kQuoted) flag = ParseFlag(value.text);
    if (!flag) Refuse(value, path, "true or false");
    return flag;
  }

  std::optional<SettingValue> ReadChoice(const WrittenValue& value) {
    const std::vector<std::string>& choices = setting_.choices;
    const bool scalar = value.form == Form::kScalar;
    if (scalar && std::ranges::find(choices, value.text) != choices.end()) {
      return value.text;
    }
    std::string expected = ExpectationText(setting_);
    if (scalar && !value.secret) {
      if (auto meant = NearestName(value.text, choices)) {
        expected += fmt::format(" (did you mean {}?)", *meant);
      }
    }
    Refuse(value, setting_.path, expected);
    return std::nullopt;
  }

  std::string ItemPath(size_t item) const { return fmt::format("{}[{}]", setting_.path, item); }

  /// Whether it is a list, and not too long.
  bool IsList(const WrittenValue& value) {
    constexpr size_t kItemsMax = 10'000;
    if (value.form != Form::kList) {
      Refuse(value, setting_.path, ExpectationText(setting_));
    } else if (value.items.size() > kItemsMax) {
      Complain(value, setting_.path,
               fmt::format("found {} items, expected at most {}", value.items.size(), kItemsMax));
    } else {
      return true;
    }
    return false;
  }

  std::optional<SettingValue> ReadTextList(const WrittenValue& value) {
    if (!IsList(value)) return std::nullopt;
    std::vector<std::string> texts;
    std::set<std::string> seen;
    bool sound = true;
    for (size_t i = 0; i < value.items.size(); ++i) {
      std::optional<std::string> text = Checked(value.items[i], ItemPath(i));
      sound = sound && text;
      if (!text) continue;
      if (!seen.insert(*text).second) {
        Refuse(value.items[i], ItemPath(i), "every item once");
        sound = false;
      }
      texts.push_back(*text);
    }
    if (!sound) return std::nullopt;
    return texts;
  }

  std::optional<SettingValue> ReadFieldList(const WrittenValue& value) {
    if (!IsList(value)) return std::nullopt;
    std::vector<FieldSelector> fields;
    std::set<std::string> seen;
    bool sound = true;
    for (size_t i = 0; i < value.items.size(); ++i) {
      const WrittenValue& item = value.items[i];
      std::optional<FieldSelector> field = ReadField(item, ItemPath(i));
      sound = sound && field;
      if (!field) continue;
      if (!seen.insert(field->path).second) {
        Complain(item, ItemPath(i),
                 fmt::format("found {} again, expected every field once", field->path));
        sound = false;
      }
      fields.push_back(*field);
    }
    if (!sound) return std::nullopt;
    return fields;
  }

  std::optional<FieldSelector> ReadField(const WrittenValue& item, const std::string& path) {
    FieldSelector field;
    if (item.form != Form::kMap) {
      std::optional<std::string> text = Checked(item, path);
      if (!text) return std::nullopt;
      field.path = *text;
      return field;
    }
    bool sound = true;
    bool named = false;
    bool weighted = false;
    bool keyed = false;
    for (size_t i = 0; i < item.items.size(); ++i) {
      const std::string& key = item.keys[i].text;
      std::string key_path = path + "." + key;
      if (key == "path") {
        // An empty path is all other fields; CheckOptions says where it may stand.
        const bool all = item.items[i].form == Form::kScalar && item.items[i].text.empty() &&
                         item.items[i].style == Style::kQuoted;
        std::optional<std::string> text = all ? std::string() : Checked(item.items[i], key_path);
        sound = sound && text;
        named = true;
        if (text) field.path = *text;
      } else if (key == "weight") {
        std::optional<double> weight = ReadWeight(item.items[i], key_path);
        sound = sound && weight;
        weighted = true;
        if (weight) field.weight = *weight;
      } else if (key == "key" || key == "free") {
        std::optional<bool> is_key = ReadFlag(item.items[i], key_path);
        sound = sound && is_key;
        keyed = keyed || is_key.value_or(false);
        if (is_key) (key == "key" ? field.key : field.free) = *is_key;
      } else {
        Complain(item.items[i], key_path,
                 "found an unknown key, expected path, weight, key or free");
        sound = false;
      }
    }
    if (!named) {
      Complain(item, path,
               "found no path, expected {path: name, weight: number}, {path: name, key: true} or "
               "{path: name, free: true}");
      return std::nullopt;
    }
    if (weighted && keyed) {
      Complain(item, path,
               "found key or free with weight, expected one of them: they are compared for "
               "equality only");
      sound = false;
    }
    if (!sound) return std::nullopt;
    return field;
  }

  static std::optional<double> ReadReal(const WrittenValue& value) {
    double number = 0;
    const char* end = value.text.data() + value.text.size();
    auto [stop, problem] =
        std::from_chars(value.text.data(), end, number, std::chars_format::fixed);
    const bool read = value.form == Form::kScalar && value.style != Style::kQuoted &&
                      problem == std::errc() && stop == end && std::isfinite(number);
    return read ? std::optional(number) : std::nullopt;
  }

  std::optional<double> ReadWeight(const WrittenValue& value, const std::string& path) {
    const std::optional<double> weight = ReadReal(value);
    constexpr Range<double> range = FieldSelector::kWeightRange;
    if (weight && range.Contains(*weight)) return weight;
    Refuse(value, path, fmt::format("a number from {} to {}", range.min, range.max));
    return std::nullopt;
  }

  std::optional<SettingValue> ReadShare(const WrittenValue& value) {
    const std::optional<double> share = ReadReal(value);
    if (share && *share >= 0 && *share <= 1) return *share;
    Refuse(value, setting_.path, ExpectationText(setting_));
    return std::nullopt;
  }

  std::optional<SettingValue> ReadMap(const WrittenValue& value) {
    TextMap map;
    if (!entry_.empty()) {
      if (!ReadEntry(entry_, value, map)) return std::nullopt;
      return map;
    }
    if (value.form != Form::kMap) {
      Refuse(value, setting_.path, ExpectationText(setting_));
      return std::nullopt;
    }
    bool sound = true;
    for (size_t i = 0; i < value.items.size(); ++i) {
      sound = ReadEntry(value.keys[i].text, value.items[i], map) && sound;
    }
    if (!sound) return std::nullopt;
    return map;
  }

  /// Numbers and flags stay as they are written.
  bool ReadEntry(const std::string& name, const WrittenValue& value, TextMap& map) {
    std::string path = setting_.path + "." + name;
    if (value.form != Form::kScalar) {
      Refuse(value, path, "text, a number, true or false");
      return false;
    }
    if (value.text.find('\0') != std::string::npos) {
      Complain(value, path, "found a zero byte, expected text");
      return false;
    }
    if (auto reason = setting_.refusal ? setting_.refusal(name, value.text) : std::nullopt) {
      Complain(value, path, *reason);
      return false;
    }
    map[name] = value.text;
    return true;
  }

  const SettingRow& setting_;
  const std::string& entry_;
  std::vector<SettingProblem>& problems_;
  std::optional<std::regex> pattern_;
};

}  // namespace

std::string YamlText(const std::string& text) {
  // A text that starts with a letter or '/' is no number. Some YAML readers take the words for
  // flags or nulls.
  static const std::regex plain("[A-Za-z/][A-Za-z0-9_./-]*(:[0-9]+)?");
  static const std::regex word("true|false|yes|no|on|off|null|y|n", std::regex::icase);
  if (text.size() < 500 && std::regex_match(text, plain) && !std::regex_match(text, word)) {
    return text;
  }
  std::string escaped;
  for (char c : text) escaped += c == '$' ? std::string("$$") : std::string(1, c);
  return JsonText(escaped);
}

std::string RealText(double number) {
  std::string text = Json(number).dump();
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string YamlText(const SettingRow& setting, const SettingValue& value) {
  struct Writer {
    const SettingRow& setting;
    std::string operator()(const std::string& text) const { return YamlText(text); }
    std::string operator()(int64_t number) const { return NumberText(setting, number); }
    std::string operator()(double number) const { return RealText(number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::vector<std::string>& texts) const {
      const auto item_text = [](const std::string& text) { return YamlText(text); };
      return fmt::format("[{}]", Joined(texts, item_text));
    }
    std::string operator()(const std::vector<FieldSelector>& fields) const {
      return fmt::format("[{}]", Joined(fields, FieldText));
    }
    std::string operator()(const TextMap& map) const {
      const auto entry_text = [](const auto& entry) {
        return fmt::format("{}: {}", YamlText(entry.first), YamlText(entry.second));
      };
      return fmt::format("{{{}}}", Joined(map, entry_text));
    }
  };
  return std::visit(Writer{setting}, value);
}

Json JsonValue(const SettingValue& value) {
  struct Writer {
    Json operator()(const std::string& text) const { return text; }
    Json operator()(int64_t number) const { return number; }
    Json operator()(double number) const { return number; }
    Json operator()(bool flag) const { return flag; }
    Json operator()(const std::vector<std::string>& texts) const { return texts; }
    Json operator()(const std::vector<FieldSelector>& fields) const {
      Json list = Json::array();
      for (const FieldSelector& field : fields) {
        Json item = {{"path", field.path}};
        if (field.weight != FieldSelector().weight) item["weight"] = field.weight;
        if (field.key) item["key"] = true;
        if (field.free) item["free"] = true;
        list.push_back(item.size() == 1 ? Json(field.path) : item);
      }
      return list;
    }
    Json operator()(const TextMap& map) const { return map; }
  };
  return std::visit(Writer{}, value);
}

std::string JsonText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ExpectationText(const SettingRow& setting) {
  switch (setting.kind) {
    case SettingKind::kText:
      return ExpectationOfText(setting);
    case SettingKind::kInteger:
      return fmt::format("a whole number from {} to {}{}", setting.min, setting.max,
                         setting.except ? fmt::format(", not {}", *setting.except) : "");
    case SettingKind::kDuration:
      return fmt::format("milliseconds, or a number with ms, s, m, h or d, from {} to {}",
                         DurationText(setting.min), DurationText(setting.max));
    case SettingKind::kBytes:
      return fmt::format("bytes, or a number with B, KB, MB, GB, KiB, MiB or GiB, from {} to {}",
                         BytesText(setting.min), BytesText(setting.max));
    case SettingKind::kShare:
      return "a number from 0 to 1";
    case SettingKind::kFlag:
      return "true or false";
    case SettingKind::kChoice:
      return fmt::format("one of {}", fmt::join(setting.choices, ", "));
    case SettingKind::kTextList:
    case SettingKind::kFieldList:
      return "a list, such as [a, b]";
    case SettingKind::kTextMap:
      return "a map, such as {name: value}";
  }
  return ExpectationOfText(setting);
}

WrittenValue WrittenAs(const Json& json) {
  WrittenValue value;
  if (json.is_null()) return value;
  if (json.is_array() || json.is_object()) {
    value.form = json.is_array() ? Form::kList : Form::kMap;
    for (const auto& [key, item] : json.items()) {
      value.items.push_back(WrittenAs(item));
      if (json.is_object()) value.keys.push_back({key});
    }
    return value;
  }
  value.form = Form::kScalar;
  value.style = json.is_string() ? Style::kQuoted : Style::kPlain;
  value.text = json.is_string() ? json.get<std::string>() : json.dump();
  return value;
}

std::optional<SettingValue> ReadValue(const SettingRow& row, const WrittenValue& value,
                                      std::vector<SettingProblem>& problems,
                                      const std::string& entry) {
  return Reader(row, entry, problems).Read(value);
}

}  // namespace neardup
