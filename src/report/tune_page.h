// Charts of a tuning as inline SVG.
#pragma once

#include <span>
#include <string>

#include "learn/tuning.h"
#include "report/tune_summary.h"

namespace neardup {

/// The histogram of nearest distances with the distance that was chosen, the gap and the mode of
/// unrelated records. Colours are CSS variables of the page: --near, --other, --choice, --ink,
/// --muted, --grid.
std::string NearestChart(const Tuning& tuning);

// The pairs of records by which a person judges a tuning, as HTML.

/// `records` are those the tuning is of. Words that differ are in <del> and <ins>.
std::string PairsHtml(const Tuning& tuning, std::span<const RecordView> records);

// A tuning as one HTML page that needs nothing from outside: no script, font or picture.

/// `records` are those the tuning is of.
std::string TunePage(const Tuning& tuning, const TuneFiles& files,
                     std::span<const RecordView> records);

}  // namespace neardup
