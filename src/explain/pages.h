// The HTML pages of `neardup explain` and `neardup tune`. A page needs nothing from outside.
#pragma once

#include <span>
#include <string>

#include "explain/explain_text.h"
#include "explain/tune_summary.h"
#include "learn/tuning.h"

namespace neardup {

/// Says the same as ExplainText, with the words that differ marked in the texts.
std::string ExplainPage(const ExplainReport& report);

/// Shows what the sample says, and pairs of records to judge it by. `records`: the records that
/// were given to Tune.
std::string TunePage(const Tuning& tuning, const TuneFiles& files,
                     std::span<const RecordView> records);

}  // namespace neardup
