// The report page of `neardup tune`: what the sample shows, and pairs of records to judge it by.
#pragma once

#include <span>
#include <string>

#include "explain/tune_summary.h"
#include "learn/tuning.h"

namespace neardup {

/// One HTML page that needs nothing from outside. `records` are those that were given to Tune.
std::string TunePage(const Tuning& tuning, const TuneFiles& files,
                     std::span<const RecordView> records);

}  // namespace neardup
