// Checks of settings that depend on each other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "service/config/assignment.h"
#include "service/config/config.h"

namespace neardup {

/// Reports contradictions between settings to `errors`. `unread` holds the paths of settings whose
/// value could not be read; checks that involve them are left out.
void CheckTogether(const LoadedConfig& config, const std::set<std::string>& unread,
                   ConfigErrors& errors);

/// What is allowed but probably a mistake.
std::vector<std::string> Warnings(const LoadedConfig& config);

}  // namespace neardup
