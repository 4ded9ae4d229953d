// What an evaluation says of one labelled set.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluate/scheme_run.h"

namespace neardup {

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

}  // namespace neardup
