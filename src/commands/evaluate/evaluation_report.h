// The report of an evaluation: as text for a terminal, and as JSON for programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commands/evaluate/scheme_run.h"

namespace neardup {

/// What an evaluation found on one labelled set.
struct SetReport {
  std::string name;
  std::vector<std::string> fields;  ///< the fields compared; empty: all
  uint64_t records = 0;
  uint64_t unlabelled = 0;        ///< records without a label
  std::vector<SchemeRun> runs;    ///< at least one; the same schemes in every set of a report
  std::vector<CurvePoint> curve;  ///< of the filter; empty if it was not run
};

/// Mean F1 of a scheme over several sets. An F1 that is not defined counts as 0.
struct SchemeMean {
  std::string scheme;
  double f1 = 0;
};

/// One mean for each scheme, in the order of the first set; empty for fewer than two sets.
std::vector<SchemeMean> MeanF1(std::span<const SetReport> sets);

/// For each set: its schemes, recall by kind, and recall by distance. The means over all sets come
/// last.
std::string ReportTable(std::span<const SetReport> sets);

/// An object of the form
/// {"sets": [{"set", "fields", "records", ..., "schemes": [{"scheme", "precision", "recall", "f1",
/// "strict_f1", counts, "records_per_s", "bytes_per_entry", "kinds": {...}}],
/// "recall_by_distance": [{"distance_max", "recall", "precision"}]}], "mean_f1": {scheme: mean}}.
/// A ratio whose denominator is 0 is null.
std::string ReportJson(std::span<const SetReport> sets);

}  // namespace neardup
