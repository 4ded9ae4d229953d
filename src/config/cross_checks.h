// Rules that bind several settings together.
#pragma once

#include <set>
#include <string>

#include "config/config.h"
#include "config/origin.h"

namespace neardup {

/// `unread`: paths whose value could not be read; rules about them are left out.
void CheckTogether(const LoadedConfig& config, const std::set<std::string>& unread,
                   ConfigErrors& errors);

/// What is allowed and probably not meant.
std::vector<std::string> Warnings(const LoadedConfig& config);

}  // namespace neardup
