// Elapsed time, for figures of speed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/labelled_set.h"
#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

/// Runs from its construction on.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Which scheme is to run, with which parameters.

/// The name of the filter itself among the schemes.
inline constexpr const char* kFilterScheme = "neardup";

struct SchemeChoice {
  std::string text;  ///< as a person wrote it
  std::string name;
  std::map<std::string, double, std::less<>> values;

  bool is_filter() const { return name == kFilterScheme; }
};

/// Reads "NAME" or "NAME:parameter=value:...". "all" stands for all schemes, the filter first; so
/// does the filter alone for an empty list. What a scheme takes is checked when it is made.
Result<std::vector<SchemeChoice>> ParseSchemes(const std::vector<std::string>& texts);

// What a scheme did with a labelled stream. Only what is unique is remembered and matched.

struct SchemeRun {
  std::string scheme;  ///< as it was chosen
  Accuracy accuracy;
  uint64_t records = 0;
  uint64_t dead_letters = 0;
  /// Payload to verdict, on one thread. What a scheme learns beforehand is not counted.
  double seconds = 0;
  /// Records remembered, and the memory it took on top of what an empty index has.
  uint64_t entries = 0;
  uint64_t bytes = 0;

  double records_per_s() const { return seconds > 0 ? static_cast<double>(records) / seconds : 0; }
  std::optional<double> bytes_per_entry() const {
    if (entries == 0) return std::nullopt;
    return static_cast<double>(bytes) / static_cast<double>(entries);
  }
};

/// What the filter finds at another distance_max.
struct CurvePoint {
  int distance_max = 0;
  Tally tally;
};

// What an evaluation says of one labelled set.

struct SetReport {
  std::string name;
  std::vector<std::string> fields;  ///< compared; empty: all
  uint64_t records = 0;
  uint64_t unlabelled = 0;  ///< records without a label
  std::vector<SchemeRun> runs;
  std::vector<CurvePoint> curve;  ///< of the filter; may be empty
};

/// Mean over the sets of each scheme's F1, an F1 that is not defined taken as 0. In the order of
/// the first set's runs; empty for fewer than two sets.
struct SchemeMean {
  std::string scheme;
  double f1 = 0;
};
std::vector<SchemeMean> MeanF1(std::span<const SetReport> sets);

// The filter over a labelled stream, through its public interface.

Result<SchemeRun> RunFilter(const LabelledSet& set, const FilterOptions& options);

/// For each distance_max from 0 that the options may have, 16 at most, what the filter finds when
/// nothing else is changed.
Result<std::vector<CurvePoint>> RunDistances(const LabelledSet& set, FilterOptions options);

// Any other scheme over a labelled stream.

/// Of the options it takes what the texts are made by, and the window. A scheme that learns does so
/// from the first 3,000 records.
Result<SchemeRun> RunSketches(const LabelledSet& set, const FilterOptions& options,
                              const SchemeChoice& choice);

}  // namespace neardup
