#include "config/value_text.h"

#include <regex>

#include "config/quantity.h"

namespace neardup {
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

}  // namespace neardup
