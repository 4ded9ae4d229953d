// A short configuration file with reasons.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/settings.h"

namespace neardup {

struct ConfigComments {
  /// At the top; one paragraph each.
  std::vector<std::string> head;
  /// Above a setting, by its path. A setting that is named here is written, and so is every other
  /// that differs from its default.
  std::map<std::string, std::string> settings;
};

/// YAML that LoadConfig reads back as these settings. Secrets must not be in them.
std::string ShortConfig(const Settings& settings, const ConfigComments& comments);

}  // namespace neardup
