#include <algorithm>

#include "config/config.h"
#include "config/settings_table.h"
#include "config/value_reader.h"
#include "config/value_text.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

uint64_t IndexBytes(const Settings& settings) {
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
    const TextMap* map = std::get_if<TextMap>(&value);
    if (map == nullptr || map->empty()) {
      bool secret = config_.IsSecret(setting.path);
      Add(head + " " + (secret ? MaskText() : YamlText(setting, value)), setting.path);
      return;
    }
    lines_.push_back({head, ""});
    for (const auto& [name, text] : *map) {
      std::string path = setting.path + "." + name;
      bool secret = config_.IsSecret(path);
      Add(indent + "  " + YamlText(name) + ": " + (secret ? MaskText() : YamlText(text)), path);
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
  return shown + "# index memory at entries_max: at most " +
         std::to_string(IndexBytes(config.settings)) + " bytes\n";
}

Json MaskedValue(const LoadedConfig& config, const Setting& setting) {
  if (config.IsSecret(setting.path)) return kSecretMask;
  Json value = JsonValue(setting.get(config.settings));
  if (setting.kind != SettingKind::kTextMap) return value;
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
    if (setting.kind == SettingKind::kTextMap) {
      for (const auto& property : value.items()) {
        std::string path = setting.path + "." + property.key();
        origins[path] = Text(config.origin(path));
      }
    }
    (section.empty() ? settings : settings[section])[key] = std::move(value);
  }
  Json shown = {{"settings", settings},
                {"index_bytes_at_entries_max", IndexBytes(config.settings)}};
  if (with_origin) shown["origins"] = origins;
  return shown.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string ShowConfig(const LoadedConfig& config, const ShowOptions& options) {
  return options.json ? ShowJson(config, options.with_origin)
                      : ShowYaml(config, options.with_origin);
}

}  // namespace neardup
