// The filter over a labelled stream, through its public interface.
#pragma once

#include <vector>

#include "evaluate/labelled_set.h"
#include "evaluate/scheme_run.h"
#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

Result<SchemeRun> RunFilter(const LabelledSet& set, const FilterOptions& options);

/// For each distance_max from 0 that the options may have, 16 at most, what the filter finds when
/// nothing else is changed.
Result<std::vector<CurvePoint>> RunDistances(const LabelledSet& set, FilterOptions options);

}  // namespace neardup
