// The deltas that begin a lane from nothing under other settings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/result.h"
#include "state/delta.h"
#include "state/groups.h"

namespace neardup {

/// After `last`, an index of these window options needs no entry below this time. At least as
/// late as the horizon of `last`, unless the window is longer now: the watermark of `last` may have
/// fallen, because a restart forgets which inputs were idle.
int64_t HorizonAfter(const Delta& last, const WindowOptions& window);

/// The result is for the changelog, after `last`, its newest delta. It keeps seq, the watermark and
/// the progress of the inputs, and replaces all entries by those of `records`. The records are
/// unique ones of the lane, fingerprinted under `options`, in the order of their seq. They are not
/// compared with each other, so that none is lost. At most entries_max, all comparable, and no
/// event time before HorizonAfter. Only the first delta is fresh. `groups`: those of the records
/// that were copied; NumberedGroup::number is the place of the original in `records`.
Result<std::vector<Delta>> FreshDeltas(const FilterOptions& options, const Delta& last,
                                       std::span<const FingerprintedRecord> records,
                                       std::span<const NumberedGroup> groups = {});

}  // namespace neardup
