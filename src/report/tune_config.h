// The configuration that `tune` proposes, as a file.
#pragma once

#include <string>

#include "config/settings.h"
#include "learn/tuning.h"
#include "report/tune_summary.h"

namespace neardup {

/// YAML with the reasons beside the values; LoadConfig reads it back as these settings.
std::string TuneConfig(const Settings& settings, const Tuning& tuning, const TuneFiles& files);

}  // namespace neardup
