// An evaluation as text for a terminal.
#pragma once

#include <span>
#include <string>

#include "evaluate/scheme_run.h"

namespace neardup {

/// For each set its schemes, then recall by kind and by distance; at last the means over the sets.
std::string ReportTable(std::span<const SetReport> sets);

// An evaluation as JSON, for programs.

/// {"sets": [{"set", "fields", "records", ..., "schemes": [{"scheme", "precision", "recall", "f1",
/// "strict_f1", counts, "records_per_s", "bytes_per_entry", "kinds": {...}}],
/// "recall_by_distance": [{"distance_max", "recall", "precision"}]}], "mean_f1": {scheme: mean}}.
/// A ratio without a denominator is null.
std::string ReportJson(std::span<const SetReport> sets);

// An evaluation as one HTML page that needs nothing from outside: no script, font or picture.

std::string ReportHtml(std::span<const SetReport> sets);

}  // namespace neardup
