// How every command is told its configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "neardup/result.h"

namespace neardup {

/// `--config FILE` and what overrides it. The short flags (`--brokers`, ...) are each one entry of
/// `sets`, but for the two that make record.fields together.
struct ConfigArguments {
  std::string file;  ///< empty: no file
  std::vector<std::string> sets;
  std::optional<std::string> fields;  ///< items as in YAML, with commas between
  std::vector<std::string> keys;      ///< paths of key fields; want `fields`
};

/// Reads the file, the environment of this process and the sets.
Result<LoadedConfig> Load(const ConfigArguments& arguments);

/// Prints an error for a person on standard error and returns the exit code that goes with it.
int Fail(const Error& error);

// `neardup validate` and `neardup config show|schema|example|reference`.

/// Checks the configuration, librdkafka's properties included, without a broker.
int ValidateCommand(const ConfigArguments& arguments);
int ShowCommand(const ConfigArguments& arguments, bool with_origin, bool json);

}  // namespace neardup
