// How every command is told its configuration.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "neardup/result.h"

namespace neardup {

/// `--config FILE` and what overrides it. The short flags (`--brokers`, `--fields`, ...) are each
/// one entry of `sets`.
struct ConfigArguments {
  std::string file;  ///< empty: no file
  std::vector<std::string> sets;
};

/// Reads the file, the environment of this process and the sets.
Result<LoadedConfig> Load(const ConfigArguments& arguments);

/// Prints an error for a person on standard error and returns the exit code that goes with it.
int Fail(const Error& error);

}  // namespace neardup
