// The settings table: one row per setting. The parser, the checks, the JSON Schema, the example
// file and the reference all read it, so none of them can differ from the others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/settings/setting.h"
#include "service/config/settings.h"

namespace neardup {

using Setting = SettingOf<Settings>;

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

}  // namespace neardup
