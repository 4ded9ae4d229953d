// What a running service takes over from its configuration when it reads it again.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace neardup {

struct Reload {
  /// Settings that a running service takes over, such as log.level.
  std::vector<std::string> applied;
  /// Settings that need a restart. If there are any, nothing is applied.
  std::vector<std::string> refused;
};

/// What differs between the configuration of a service and a newer one.
Reload CompareForReload(const LoadedConfig& running, const LoadedConfig& now);

/// One line for the log.
std::string Describe(const Reload& reload);

}  // namespace neardup
