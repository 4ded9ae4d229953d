#include <algorithm>

#include "config/config.h"
#include "config/settings_table.h"
#include "config/value_reader.h"
#include "config/value_text.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

std::optional<uint64_t> IndexBytes(const Settings& settings) {
  return FilterBytesMax(settings.lane.filter, UncommittedMax(settings.lane));
}

struct Line {
  std::string text;
  std::string origin;  ///< empty: none
};

class YamlWriter {
 public:
  explicit YamlWriter(const LoadedConfig& config) : config_(config) {}

  std::vector<Line> Lines() {
    std::string section;
    for (const Setting& setting : SettingsTable()) {
      std::string next(SectionOf(setting.path));
      if (next != section) lines_.push_back({next + ":", ""});
      section = next;
      Write(setting, section.empty() ? "" : "  ");
    }
    return std::move(lines_);
  }

 private:
  void Write(const Setting& setting, const std::string& indent) {
    SettingValue value = setting.get(config_.settings);
    std::string head = indent + std::string(KeyOf(setting.path)) + ":";
    std::map<std::string, std::string> entries;
    if (const auto* texts = std::get_if<TextMap>(&value)) {
      for (const auto& [name, text] : *texts) entries[name] = YamlText(text);
    }
    if (const auto* numbers = std::get_if<NumberMap>(&value)) {
      for (const auto& [name, number] : *numbers) entries[name] = RealText(number);
    }
    if (entries.empty()) {
      bool secret = config_.IsSecret(setting.path);
      Add(head + " " + (secret ? MaskText() : YamlText(setting, value)), setting.path);
      return;
    }
    lines_.push_back({head, ""});
    for (const auto& [name, text] : entries) {
      std::string path = setting.path + "." + name;
      Add(indent + "  " + YamlText(name) + ": " + (config_.IsSecret(path) ? MaskText() : text),
          path);
    }
  }

  static std::string MaskText() { return YamlText(std::string(kSecretMask)); }

  void Add(std::string text, const std::string& path) {
    lines_.push_back({std::move(text), Text(config_.origin(path))});
  }

  const LoadedConfig& config_;
  std::vector<Line> lines_;
};

std::string ShowYaml(const LoadedConfig& config, bool with_origin) {
  constexpr size_t kOriginColumnMax = 60;
  std::vector<Line> lines = YamlWriter(config).Lines();
  size_t column = 0;
  for (const Line& line : lines) column = std::max(column, line.text.size());
  column = std::min(column, kOriginColumnMax);
  std::string shown;
  for (const Line& line : lines) {
    shown += line.text;
    if (with_origin && !line.origin.empty()) {
      size_t gap = line.text.size() < column ? column - line.text.size() : 0;
      shown += std::string(gap + 2, ' ') + "# " + line.origin;
    }
    shown += '\n';
  }
  const std::optional<uint64_t> bytes = IndexBytes(config.settings);
  const std::string bound = bytes ? "at most " + std::to_string(*bytes) + " bytes"
                                  : "not bounded; it grows with the records under this scheme";
  return shown + "# index memory at entries_max: " + bound + "\n";
}

Json MaskedValue(const LoadedConfig& config, const Setting& setting) {
  if (config.IsSecret(setting.path)) return kSecretMask;
  Json value = JsonValue(setting.get(config.settings));
  if (!IsMap(setting.kind)) return value;
  for (auto& [name, text] : value.items()) {
    if (config.IsSecret(setting.path + "." + name)) text = kSecretMask;
  }
  return value;
}

std::string ShowJson(const LoadedConfig& config, bool with_origin) {
  Json settings = Json::object();
  Json origins = Json::object();
  for (const Setting& setting : SettingsTable()) {
    std::string section(SectionOf(setting.path));
    std::string key(KeyOf(setting.path));
    Json value = MaskedValue(config, setting);
    origins[setting.path] = Text(config.origin(setting.path));
    if (IsMap(setting.kind)) {
      for (const auto& property : value.items()) {
        std::string path = setting.path + "." + property.key();
        origins[path] = Text(config.origin(path));
      }
    }
    (section.empty() ? settings : settings[section])[key] = std::move(value);
  }
  const std::optional<uint64_t> bytes = IndexBytes(config.settings);
  Json shown = {{"settings", settings},
                {"index_bytes_at_entries_max", bytes ? Json(*bytes) : Json(nullptr)}};
  if (with_origin) shown["origins"] = origins;
  return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string ShowConfig(const LoadedConfig& config, const ShowOptions& options) {
  return options.json ? ShowJson(config, options.with_origin)
                      : ShowYaml(config, options.with_origin);
}

}  // namespace neardup
