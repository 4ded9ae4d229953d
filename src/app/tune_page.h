// A tuning as one HTML page that needs nothing from outside: no script, font or picture.
#pragma once

#include <span>
#include <string>

#include "app/tune_files.h"
#include "learn/tuning.h"

namespace neardup {

/// `records` are those the tuning is of.
std::string TunePage(const Tuning& tuning, const TuneFiles& files,
                     std::span<const RecordView> records);

}  // namespace neardup
