// Runs schemes over a labelled set: which ones, what they found, how fast, and in how much memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/accuracy.h"
#include "evaluate/labelled_set.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "neardup/verdict.h"

namespace neardup {

/// Name of the filter itself among the schemes.
inline constexpr const char* kFilterScheme = "neardup";

/// A scheme to run, and its parameters.
struct SchemeChoice {
  std::string text;  ///< as the user wrote it
  std::string name;
  std::map<std::string, double, std::less<>> values;

  bool is_filter() const { return name == kFilterScheme; }
};

/// Reads texts of the form "NAME" or "NAME:parameter=number:...". "all" means every scheme,
/// the filter first; an empty list stands for the filter alone. Checks names, but not parameters:
/// RunSketches does.
Result<std::vector<SchemeChoice>> ParseSchemes(const std::vector<std::string>& texts);

struct SchemeRun {
  std::string scheme;  ///< SchemeChoice::text
  Accuracy accuracy;
  uint64_t records = 0;
  uint64_t dead_letters = 0;
  /// Time from payload to verdict on one thread, without the time a scheme learns beforehand.
  double seconds = 0;
  /// Unique records remembered at the end, and the bytes they take: those of the index, less those
  /// of an empty one.
  uint64_t entries = 0;
  uint64_t bytes = 0;
  std::vector<Verdict> verdicts;  ///< on each payload

  double records_per_s() const { return seconds > 0 ? static_cast<double>(records) / seconds : 0; }
  std::optional<double> bytes_per_entry() const {
    if (entries == 0) return std::nullopt;
    return static_cast<double>(bytes) / static_cast<double>(entries);
  }
};

/// Runs the filter. Only unique records are remembered and matched.
Result<SchemeRun> RunFilter(const LabelledSet& set, const FilterOptions& options);

/// Runs a comparison scheme. Of `options` it uses the record and feature options and the length of
/// the window. A scheme that needs document frequencies counts them in the first 3,000 records.
Result<SchemeRun> RunSketches(const LabelledSet& set, const FilterOptions& options,
                              const SchemeChoice& choice);

/// The verdicts as `neardup filter --verdicts` writes them: a line of column names, and a line for
/// each payload, named by its number from 1.
std::string VerdictTable(const SchemeRun& run);

/// What the filter finds at another distance_max.
struct CurvePoint {
  int distance_max = 0;
  Tally tally;
};

/// Runs the filter at each distance_max from 0 to the largest that CheckOptions accepts with the
/// other options.
Result<std::vector<CurvePoint>> RunDistances(const LabelledSet& set, FilterOptions options);

}  // namespace neardup
