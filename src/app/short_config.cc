#include "app/short_config.h"

#include <sstream>

#include "config/settings_table.h"
#include "config/value_text.h"

namespace neardup {
namespace {

constexpr size_t kColumns = 100;

/// The text as comment lines, which no character in it can end.
std::string Comment(std::string text, const std::string& indent) {
  for (char& c : text) c = c >= 0 && c < ' ' ? ' ' : c;
  std::istringstream words(text);
  std::string comment;
  std::string line = indent + "#";
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kColumns) {
      comment += line + '\n';
      line = indent + "#";
    }
    line += ' ' + word;
  }
  return comment + line + '\n';
}

}  // namespace

std::string ShortConfig(const Settings& settings, const ConfigComments& comments) {
  std::string text;
  for (const std::string& paragraph : comments.head) text += Comment(paragraph, "");
  std::string open_section;
  for (const Setting& setting : SettingsTable()) {
    const auto comment = comments.settings.find(setting.path);
    const bool explained = comment != comments.settings.end();
    const SettingValue value = setting.get(settings);
    if (!explained && value == setting.default_value()) continue;
    const std::string section(SectionOf(setting.path));
    if (section != open_section) text += '\n' + section + ":\n";
    open_section = section;
    const std::string indent = section.empty() ? "" : "  ";
    if (explained && !comment->second.empty()) text += Comment(comment->second, indent);
    text += indent + std::string(KeyOf(setting.path)) + ": " + YamlText(setting, value) + '\n';
  }
  return text;
}

}  // namespace neardup
