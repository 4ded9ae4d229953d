// Deltas that follow each other, as one.
#pragma once

#include "state/delta.h"

namespace neardup {

/// Whether `next` may be merged into `delta`: it follows it, names the same inputs or more behind
/// them, is of the same lane and FingerprintSpec, and the two are small enough for one.
bool CanMerge(const Delta& delta, const Delta& next);

/// Folding the result leaves a lane as folding first `delta`, then `next` does. They must be fit
/// for it.
void Merge(Delta& delta, Delta&& next);

}  // namespace neardup
