// What a command line says about the configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "neardup/result.h"

namespace neardup {

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
