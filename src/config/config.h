// START HERE. Reads the configuration: defaults, then the file, then NEARDUP_ variables, then
// --set; what comes later wins. And writes it: what is in force, its JSON Schema, an example, a
// reference.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/assignment.h"
#include "config/interpolation.h"
#include "config/settings.h"
#include "neardup/result.h"

namespace neardup {

struct ConfigSource {
  std::optional<std::filesystem::path> file;
  /// Texts such as window.window_ms=1h; of two for one setting the later wins.
  std::vector<std::string> sets;
  /// Both the NEARDUP_ variables and what ${VAR} in values refers to.
  Environment environment;
};

/// The environment of this process.
Environment ProcessEnvironment();

struct LoadedConfig {
  Settings settings;
  /// By path; properties of a map setting by path.name. What is not here has its default.
  std::map<std::string, Origin> origins;
  /// Paths, as in `origins`, whose value came out of a ${file:...}.
  std::set<std::string> secrets;
  /// Paths, as in `origins`, whose value holds a ${VAR}.
  std::set<std::string> from_variable;
  std::vector<std::string> warnings;

  Origin origin(const std::string& path) const;
  /// True for what is never to be printed.
  bool IsSecret(const std::string& path) const;
};

/// kConfig with every complaint on a line of its own: `file:line: path: found ..., expected ...`.
Result<LoadedConfig> LoadConfig(const ConfigSource& source);

/// What `neardup run` needs besides a valid configuration: input topics, and a scheme that does not
/// compare each record with all others.
Result<void> CheckRunnable(const LoadedConfig& config);

struct ShowOptions {
  /// Where each value comes from.
  bool with_origin = false;
  /// One JSON object instead of YAML.
  bool json = false;
};

/// Every setting with its value; secrets as ******. Ends with the index memory at entries_max.
std::string ShowConfig(const LoadedConfig& config, const ShowOptions& options);
/// JSON Schema, draft-07, of the file.
std::string ConfigSchema();
/// A complete file: every setting with its default and what it means.
std::string ConfigExample();
/// The same as Markdown tables.
std::string ConfigReference();

}  // namespace neardup
