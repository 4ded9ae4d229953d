// An evaluation as one HTML page that needs nothing from outside: no script, font or picture.
#pragma once

#include <span>
#include <string>

#include "evaluate/set_report.h"

namespace neardup {

std::string ReportHtml(std::span<const SetReport> sets);

}  // namespace neardup
