// An evaluation as JSON, for programs.
#pragma once

#include <span>
#include <string>

#include "evaluate/set_report.h"

namespace neardup {

/// {"sets": [{"set", "fields", "records", ..., "schemes": [{"scheme", "precision", "recall", "f1",
/// "strict_f1", counts, "records_per_s", "bytes_per_entry", "kinds": {...}}],
/// "recall_by_distance": [{"distance_max", "recall", "precision"}]}], "mean_f1": {scheme: mean}}.
/// A ratio without a denominator is null.
std::string ReportJson(std::span<const SetReport> sets);

}  // namespace neardup
