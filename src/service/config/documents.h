// The settings as text for people: the settings in force, the example file, a short file, the
// reference.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "service/config/config.h"
#include "service/config/memory_table.h"
#include "service/config/settings.h"

namespace neardup {

struct ShowOptions {
  /// Show where each value comes from.
  bool with_sources = false;
  /// One JSON object instead of YAML.
  bool json = false;
  /// Input partitions and cores of the machine, for the table of memory.
  size_t partitions = kAssumedPartitions;
  size_t cores = 1;
};

/// Every setting with its value, secrets as ******, and what takes memory.
std::string ShowConfig(const LoadedConfig& config, const ShowOptions& options);

/// A complete file: every setting with its meaning, its range and its default.
std::string ConfigExample();

struct ConfigComments {
  /// At the top of the file; one paragraph each.
  std::vector<std::string> head;
  /// Above a setting, by its path. An empty text makes no comment. The file holds every setting
  /// that is named here, and every other setting that differs from its default.
  std::map<std::string, std::string> settings;
};

/// Returns a short configuration file with the reasons as comments. LoadConfig reads it back as
/// these settings. The settings must not hold secrets.
std::string ShortConfig(const Settings& settings, const ConfigComments& comments);

/// All settings as Markdown tables, and the librdkafka properties that cannot be set.
std::string ConfigReference();

// The JSON Schema of the configuration file, for editors and other tools.

/// JSON Schema, draft-07. It takes every file that LoadConfig takes, and some that LoadConfig
/// refuses.
std::string ConfigSchema();

}  // namespace neardup
