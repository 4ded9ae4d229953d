// Charts of a tuning as inline SVG.
#pragma once

#include <string>

#include "learn/tuning.h"

namespace neardup {

/// The histogram of nearest distances with the distance that was chosen, the gap and the mode of
/// unrelated records. Colours are CSS variables of the page: --near, --other, --choice, --ink,
/// --muted, --grid.
std::string NearestChart(const Tuning& tuning);

}  // namespace neardup
