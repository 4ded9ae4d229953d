// An evaluation as text for a terminal.
#pragma once

#include <span>
#include <string>

#include "evaluate/set_report.h"

namespace neardup {

/// For each set its schemes, then recall by kind and by distance; at last the means over the sets.
std::string ReportTable(std::span<const SetReport> sets);

}  // namespace neardup
