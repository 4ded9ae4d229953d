#include "config/setting_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>
#include <span>

#include "config/assignment.h"
#include "config/checks.h"

namespace neardup {

namespace {

struct Unit {
  std::string_view name;
  int64_t factor;
};

// Smallest first; of two texts for one value the later unit gives the shorter.
constexpr Unit kDurationUnits[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit kByteUnits[] = {{"B", 1},          {"KB", 1000},     {"KiB", 1024},
                               {"MB", 1'000'000}, {"MiB", 1 << 20}, {"GB", 1'000'000'000},
                               {"GiB", 1 << 30}};

std::optional<int64_t> ParseQuantity(std::string_view text, std::span<const Unit> units) {
  size_t digits = text.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  std::optional<int64_t> number = ParseInteger(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (unit.name != text.substr(digits)) continue;
    if (*number > std::numeric_limits<int64_t>::max() / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

std::string QuantityText(int64_t value, std::span<const Unit> units) {
  std::string shortest = std::to_string(value) + std::string(units.front().name);
  for (const Unit& unit : units) {
    if (value % unit.factor != 0) continue;
    std::string text = std::to_string(value / unit.factor) + std::string(unit.name);
    if (text.size() <= shortest.size() && value >= unit.factor) shortest = std::move(text);
  }
  return shortest;
}

}  // namespace

std::optional<int64_t> ParseInteger(std::string_view text) {
  std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0') || text == "-0") {
    return std::nullopt;
  }
  int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<int64_t> ParseDuration(std::string_view text) {
  return ParseQuantity(text, kDurationUnits);
}

std::optional<int64_t> ParseBytes(std::string_view text) { return ParseQuantity(text, kByteUnits); }

std::string DurationText(int64_t milliseconds) {
  // 24h says more than 1d, and so on up to two weeks.
  constexpr int64_t kDayMs = 86'400'000;
  std::span<const Unit> units = kDurationUnits;
  return QuantityText(milliseconds, milliseconds < 3 * kDayMs ? units.first(4) : units);
}

std::string BytesText(int64_t bytes) { return QuantityText(bytes, kByteUnits); }

namespace {

using Json = nlohmann::ordered_json;

std::string NumberText(const Setting& setting, int64_t number) {
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
  if (field.key) return "{path: " + YamlText(field.path) + ", key: true}";
  if (field.weight == FieldSelector{}.weight) return YamlText(field.path);
  return "{path: " + YamlText(field.path) + ", weight: " + RealText(field.weight) + "}";
}

template <class Items, class ItemText>
std::string Bracketed(const Items& items, char open, char close, const ItemText& item_text) {
  std::string text(1, open);
  for (const auto& item : items) text += (text.size() == 1 ? "" : ", ") + item_text(item);
  return text + close;
}

}  // namespace

std::string RealText(double number) {
  std::string text = Json(number).dump();
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string YamlText(const std::string& text) {
  // Letters first keep numbers out; the words are flags and nulls to some reader of YAML.
  static const std::regex plain("[A-Za-z/][A-Za-z0-9_./-]*(:[0-9]+)?");
  static const std::regex word("true|false|yes|no|on|off|null|y|n", std::regex::icase);
  if (text.size() < 500 && std::regex_match(text, plain) && !std::regex_match(text, word)) {
    return text;
  }
  std::string escaped;
  for (char c : text) escaped += c == '$' ? std::string("$$") : std::string(1, c);
  return JsonText(escaped);
}

std::string YamlText(const Setting& setting, const SettingValue& value) {
  struct Writer {
    const Setting& setting;
    std::string operator()(const std::string& text) const { return YamlText(text); }
    std::string operator()(int64_t number) const { return NumberText(setting, number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(const std::vector<std::string>& texts) const {
      return Bracketed(texts, '[', ']', [](const std::string& text) { return YamlText(text); });
    }
    std::string operator()(const std::vector<FieldSelector>& fields) const {
      return Bracketed(fields, '[', ']', FieldText);
    }
    std::string operator()(const TextMap& map) const {
      return Bracketed(map, '{', '}', [](const auto& entry) {
        return YamlText(entry.first) + ": " + YamlText(entry.second);
      });
    }
    std::string operator()(const NumberMap& map) const {
      return Bracketed(map, '{', '}', [](const auto& entry) {
        return YamlText(entry.first) + ": " + RealText(entry.second);
      });
    }
  };
  return std::visit(Writer{setting}, value);
}

Json JsonValue(const SettingValue& value) {
  struct Writer {
    Json operator()(const std::string& text) const { return text; }
    Json operator()(int64_t number) const { return number; }
    Json operator()(bool flag) const { return flag; }
    Json operator()(const std::vector<std::string>& texts) const { return texts; }
    Json operator()(const std::vector<FieldSelector>& fields) const {
      Json list = Json::array();
      for (const FieldSelector& field : fields) {
        const Json rest = field.key ? Json({{"key", true}}) : Json({{"weight", field.weight}});
        list.push_back({{"path", field.path}});
        list.back().update(rest);
      }
      return list;
    }
    Json operator()(const TextMap& map) const { return map; }
    Json operator()(const NumberMap& map) const { return map; }
  };
  return std::visit(Writer{}, value);
}

std::string JsonText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

using Form = YamlValue::Form;
using Style = YamlValue::Style;

constexpr char kTextExpected[] = "text";

std::optional<bool> ParseFlag(const std::string& text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

// What YAML 1.1 and 1.2 readers take for a number or a flag.
bool LooksLikeNumberOrFlag(const std::string& text) {
  static const std::regex other(
      "[-+]?(\\.?[0-9][0-9_]*(\\.[0-9_]*)?([eE][-+]?[0-9]+)?|0[xob][0-9a-fA-F_]+"
      "|\\.(inf|Inf|INF)|[0-9]+(:[0-9]+)+(\\.[0-9]*)?)|\\.(nan|NaN|NAN)"
      "|true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF");
  return text.size() < 64 && std::regex_match(text, other);
}

class Reader {
 public:
  Reader(const Assignment& assignment, ConfigErrors& errors)
      : setting_(*assignment.setting), assignment_(assignment), errors_(errors) {}

  std::optional<SettingValue> Read() {
    const YamlValue& value = assignment_.value;
    switch (setting_.kind) {
      case SettingKind::kText:
        return Checked(value, setting_.path);
      case SettingKind::kInteger:
      case SettingKind::kDuration:
      case SettingKind::kBytes:
        return ReadNumber(value);
      case SettingKind::kFlag:
        return ReadFlag(value);
      case SettingKind::kChoice:
        return ReadChoice(value);
      case SettingKind::kTextList:
        return ReadTextList(value);
      case SettingKind::kFieldList:
        return ReadFieldList(value);
      case SettingKind::kTextMap:
        return ReadMap<TextMap>(value);
      case SettingKind::kNumberMap:
        return ReadMap<NumberMap>(value);
    }
    return std::nullopt;
  }

 private:
  void Complain(const YamlValue& value, const std::string& path, const std::string& text) {
    Origin origin = assignment_.origin;
    if (origin.kind == Origin::Kind::kFile) origin.line = value.line;
    errors_.Add(origin, path, text);
  }

  void Refuse(const YamlValue& value, const std::string& path, const std::string& expected) {
    Complain(value, path, "found " + Found(value) + ", expected " + expected);
  }

  static std::string Found(const YamlValue& value) {
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
      return "a text of " + std::to_string(value.text.size()) + " bytes";
    }
    return value.style == Style::kQuoted || value.text.empty() ? "the text \"" + value.text + "\""
                                                               : value.text;
  }

  // Text without a look at the pattern.
  std::optional<std::string> Text(const YamlValue& value, const std::string& path,
                                  const std::string& expected) {
    if (value.form != Form::kScalar) {
      Refuse(value, path, expected);
      return std::nullopt;
    }
    if (value.style == Style::kPlain && LooksLikeNumberOrFlag(value.text)) {
      Refuse(value, path, "text; write \"" + value.text + "\"");
      return std::nullopt;
    }
    return value.text;
  }

  std::optional<std::string> Checked(const YamlValue& value, const std::string& path) {
    std::string expected = ExpectationOfText();
    std::optional<std::string> text = Text(value, path, expected);
    if (!text) return std::nullopt;
    // The bound comes first: std::regex recurses with the length of the text.
    bool fits = text->size() <= kTextBytesMax && text->find('\0') == std::string::npos &&
                (setting_.pattern.empty() || std::regex_match(*text, std::regex(setting_.pattern)));
    if (fits) return text;
    Refuse(value, path, expected);
    return std::nullopt;
  }

  std::string ExpectationOfText() const {
    return setting_.pattern_words.empty() ? kTextExpected : setting_.pattern_words;
  }

  std::optional<SettingValue> ReadNumber(const YamlValue& value) {
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

  std::optional<SettingValue> ReadFlag(const YamlValue& value) {
    if (value.form == Form::kScalar && value.style != Style::kQuoted) {
      if (std::optional<bool> flag = ParseFlag(value.text)) return *flag;
    }
    Refuse(value, setting_.path, ExpectationText(setting_));
    return std::nullopt;
  }

  std::optional<SettingValue> ReadChoice(const YamlValue& value) {
    const std::vector<std::string>& choices = setting_.choices;
    bool scalar = value.form == Form::kScalar;
    if (scalar && std::find(choices.begin(), choices.end(), value.text) != choices.end()) {
      return value.text;
    }
    std::string expected = ExpectationText(setting_);
    if (scalar && !value.secret) {
      if (auto meant = NearestName(value.text, choices)) {
        expected += " (did you mean " + *meant + "?)";
      }
    }
    Refuse(value, setting_.path, expected);
    return std::nullopt;
  }

  std::string ItemPath(size_t item) const {
    return setting_.path + "[" + std::to_string(item) + "]";
  }

  std::optional<SettingValue> ReadTextList(const YamlValue& value) {
    if (value.form != Form::kList) {
      Refuse(value, setting_.path, ExpectationText(setting_));
      return std::nullopt;
    }
    std::vector<std::string> texts;
    bool sound = true;
    for (size_t i = 0; i < value.items.size(); ++i) {
      std::optional<std::string> text = Checked(value.items[i], ItemPath(i));
      sound = sound && text;
      if (!text) continue;
      if (std::find(texts.begin(), texts.end(), *text) != texts.end()) {
        Refuse(value.items[i], ItemPath(i), "every item once");
        sound = false;
      }
      texts.push_back(*text);
    }
    if (!sound) return std::nullopt;
    return texts;
  }

  std::optional<SettingValue> ReadFieldList(const YamlValue& value) {
    if (value.form != Form::kList) {
      Refuse(value, setting_.path, ExpectationText(setting_));
      return std::nullopt;
    }
    std::vector<FieldSelector> fields;
    bool sound = true;
    for (size_t i = 0; i < value.items.size(); ++i) {
      const YamlValue& item = value.items[i];
      std::optional<FieldSelector> field = ReadField(item, ItemPath(i));
      sound = sound && field;
      if (!field) continue;
      auto same = [&](const FieldSelector& other) { return other.path == field->path; };
      if (std::any_of(fields.begin(), fields.end(), same)) {
        Refuse(item, ItemPath(i), "every field once");
        sound = false;
      }
      fields.push_back(*field);
    }
    if (!sound) return std::nullopt;
    return fields;
  }

  std::optional<FieldSelector> ReadField(const YamlValue& item, const std::string& path) {
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
        std::optional<std::string> text = Checked(item.items[i], key_path);
        sound = sound && text;
        named = true;
        if (text) field.path = *text;
      } else if (key == "weight") {
        std::optional<double> weight = ReadWeight(item.items[i], key_path);
        sound = sound && weight;
        weighted = true;
        if (weight) field.weight = *weight;
      } else if (key == "key") {
        std::optional<bool> is_key = ReadKeyFlag(item.items[i], key_path);
        sound = sound && is_key;
        keyed = true;
        if (is_key) field.key = *is_key;
      } else {
        Complain(item.items[i], key_path, "unknown key, expected path, weight or key");
        sound = false;
      }
    }
    if (!named) {
      Complain(item, path,
               "found no path, expected {path: name, weight: number} or {path: name, key: true}");
      return std::nullopt;
    }
    if (weighted && keyed) {
      Complain(item, path, "found key and weight, expected one of them: a key is equal or not");
      sound = false;
    }
    if (!sound) return std::nullopt;
    return field;
  }

  std::optional<bool> ReadKeyFlag(const YamlValue& value, const std::string& path) {
    std::optional<bool> flag;
    if (value.form == Form::kScalar && value.style != Style::kQuoted) flag = ParseFlag(value.text);
    if (!flag) Refuse(value, path, "true or false");
    return flag;
  }

  static std::optional<double> ReadReal(const YamlValue& value) {
    double number = 0;
    const char* end = value.text.data() + value.text.size();
    auto [stop, problem] =
        std::from_chars(value.text.data(), end, number, std::chars_format::fixed);
    const bool read = value.form == Form::kScalar && value.style != Style::kQuoted &&
                      problem == std::errc() && stop == end && std::isfinite(number);
    return read ? std::optional(number) : std::nullopt;
  }

  std::optional<double> ReadWeight(const YamlValue& value, const std::string& path) {
    const std::optional<double> weight = ReadReal(value);
    constexpr Range<double> range = FieldSelector::kWeightRange;
    if (weight && range.Contains(*weight)) return weight;
    Refuse(value, path, fmt::format("a number from {} to {}", range.min, range.max));
    return std::nullopt;
  }

  template <class Map>
  std::optional<SettingValue> ReadMap(const YamlValue& value) {
    Map map;
    if (!assignment_.entry.empty()) {
      if (!ReadEntry(assignment_.entry, value, map)) return std::nullopt;
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

  // librdkafka takes texts only, so numbers and flags are taken as they are written.
  bool ReadEntry(const std::string& name, const YamlValue& value, TextMap& map) {
    std::string path = setting_.path + "." + name;
    if (value.form != Form::kScalar) {
      Refuse(value, path, "text, a number or true or false");
      return false;
    }
    if (value.text.find('\0') != std::string::npos) {
      Complain(value, path, "found a zero byte, expected text");
      return false;
    }
    if (auto reason = RefusalOf(name, value.text)) {
      Complain(value, path, "this librdkafka property cannot be set: " + *reason);
      return false;
    }
    map[name] = value.text;
    return true;
  }

  // Which names and ranges there are is the scheme's to say.
  bool ReadEntry(const std::string& name, const YamlValue& value, NumberMap& map) {
    const std::optional<double> number = ReadReal(value);
    if (number) {
      map[name] = *number;
    } else {
      Refuse(value, setting_.path + "." + name, "a number");
    }
    return number.has_value();
  }

  const Setting& setting_;
  const Assignment& assignment_;
  ConfigErrors& errors_;
};

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string ExpectationText(const Setting& setting) {
  switch (setting.kind) {
    case SettingKind::kText:
      return setting.pattern_words.empty() ? kTextExpected : setting.pattern_words;
    case SettingKind::kInteger:
      return "a whole number from " + std::to_string(setting.min) + " to " +
             std::to_string(setting.max) +
             (setting.except ? ", not " + std::to_string(*setting.except) : "");
    case SettingKind::kDuration:
      return "milliseconds, or a number with ms, s, m, h or d, from " + DurationText(setting.min) +
             " to " + DurationText(setting.max);
    case SettingKind::kBytes:
      return "bytes, or a number with B, KB, MB, GB, KiB, MiB or GiB, from " +
             BytesText(setting.min) + " to " + BytesText(setting.max);
    case SettingKind::kFlag:
      return "true or false";
    case SettingKind::kChoice:
      return "one of " + Joined(setting.choices);
    case SettingKind::kTextList:
    case SettingKind::kFieldList:
      return "a list, such as [a, b]";
    case SettingKind::kTextMap:
      return "a map, such as {name: value}";
    case SettingKind::kNumberMap:
      return "a map of numbers, such as {name: 1}";
  }
  return kTextExpected;
}

std::optional<SettingValue> ReadValue(const Assignment& assignment, ConfigErrors& errors) {
  return Reader(assignment, errors).Read();
}

}  // namespace neardup
