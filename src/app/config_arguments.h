// How every command is told its configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "neardup/result.h"

namespace neardup {

/// `--config FILE` and what overrides it. The short flags (`--brokers`, `--fields`, ...) are each one
/// entry of `sets`.
struct ConfigArguments {
  std::string file;  ///< empty: no file
  std::vector<std::string> sets;
};

}  // namespace neardup
