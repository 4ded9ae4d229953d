// The configuration file that `neardup tune` writes.
#pragma once

#include <string>

#include "explain/tune_summary.h"
#include "learn/tuning.h"
#include "service/config/settings.h"

namespace neardup {

/// YAML with the reasons as comments. LoadConfig reads it back as the same settings.
std::string TuneConfig(const Settings& settings, const Tuning& tuning, const TuneFiles& files);

}  // namespace neardup
