// The configuration file that `neardup tune` writes.
#pragma once

#include <string>

#include "config/settings.h"
#include "learn/tuning.h"
#include "tune/tune_summary.h"

namespace neardup {

/// YAML with the reasons as comments. LoadConfig reads it back as the same settings.
std::string TuneConfig(const Settings& settings, const Tuning& tuning, const TuneFiles& files);

}  // namespace neardup
