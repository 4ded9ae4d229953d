// What would give a pair of records the other verdict, found by trying it.
#pragma once

#include <vector>

#include "explain/explanation.h"

namespace neardup {

/// What a filter decides on a record after another one.
struct JudgedPair {
  bool comparable = false;  ///< both are
  Verdict verdict;          ///< of the second
  StoredKeys remembered;    ///< the text keys under which the first is remembered
};

/// kConfig if CheckOptions refuses the options.
Result<JudgedPair> JudgePair(const FilterOptions& options, const RecordView& a,
                             const RecordView& b);

/// The changes that were tried and give the other verdict (PairExplanation::changes). The options
/// must be valid, and the records comparable. Of `explained`, everything but `changes` must be set.
std::vector<VerdictChange> FindChanges(const FilterOptions& options, const RecordView& a,
                                       const RecordView& b, const PairExplanation& explained);

}  // namespace neardup
