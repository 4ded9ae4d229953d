// START HERE. Reads the configuration of a process from the file, the environment and the command
// line, and checks it. documents.h prints it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "neardup/result.h"
#include "service/config/assignment.h"
#include "service/config/settings.h"
#include "service/config/yaml_value.h"

namespace neardup {

/// What LoadConfig reads. Each layer overrides the ones before it: the defaults, the file, the
/// NEARDUP_ variables, the sets.
struct ConfigLayers {
  std::optional<std::filesystem::path> file;
  /// Texts such as window.window_ms=1h; a later one overrides an earlier one.
  std::vector<std::string> sets;
  /// The NEARDUP_ variables, and the variables that ${VAR} in a value refers to.
  Environment environment;
};

/// The environment of this process.
Environment ProcessEnvironment();

/// Valid settings, and what is known about each value. Paths are the paths of settings; an entry of
/// a map setting has the path setting.entry.
struct LoadedConfig {
  Settings settings;
  /// The file of feature.model, seen from the working folder; empty without one.
  std::filesystem::path model_file;
  /// By path. A path that is absent has its default.
  std::map<std::string, ValueSource> sources;
  /// Paths whose value holds a ${file:...}.
  std::set<std::string> secrets;
  /// Paths whose value holds any reference, such as ${VAR}.
  std::set<std::string> from_variable;
  std::vector<std::string> warnings;

  ValueSource SourceOf(const std::string& path) const;
  /// Whether the value must never be printed.
  bool IsSecret(const std::string& path) const;
};

/// kConfig, with every complaint on a line of its own: `file:line: path: found ..., expected ...`.
Result<LoadedConfig> LoadConfig(const ConfigLayers& layers);

/// What `neardup run` needs besides a valid configuration: input topics, and a lane that exists.
Result<void> CheckRunnable(const LoadedConfig& config);

// What a command line says about the configuration.

/// `--config FILE` and what overrides it. Each short option (`--brokers`, ...) adds one entry to
/// `sets`, except --fields and --keys, which make record.fields together, and --free.
struct ConfigArguments {
  std::string file;  ///< empty: no file
  std::vector<std::string> sets;
  std::optional<std::string> fields;  ///< items as in YAML, separated by commas
  std::vector<std::string> keys;      ///< paths of key fields; only together with `fields`
  std::vector<std::string> free;      ///< paths of fields in which copies may differ
};

/// Reads the file, the environment of this process and the sets.
Result<LoadedConfig> Load(const ConfigArguments& arguments);

}  // namespace neardup
