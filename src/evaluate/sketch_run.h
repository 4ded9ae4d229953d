// Any other scheme over a labelled stream.
#pragma once

#include "evaluate/labelled_set.h"
#include "evaluate/scheme_choice.h"
#include "evaluate/scheme_run.h"
#include "neardup/options.h"
#include "neardup/result.h"

namespace neardup {

/// Of the options it takes what the texts are made by, and the window. A scheme that learns does so
/// from the first 3,000 records.
Result<SchemeRun> RunSketches(const LabelledSet& set, const FilterOptions& options,
                              const SchemeChoice& choice);

}  // namespace neardup
