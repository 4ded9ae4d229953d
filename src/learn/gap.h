// The gap between copies and all other records.
#pragma once

#include "learn/near_structure.h"

namespace neardup {

/// What a histogram of nearest distances shows. Unrelated records make a mode far to the right;
/// copies, where there are any, lie left of it; the emptiest place between is the gap.
struct Gap {
  /// Mode of the unrelated records, in bits.
  int unrelated = 0;
  /// Middle of the gap, in bits.
  int at = 0;
  /// Records at the gap as a share of those at the mode of unrelated records. Small is clear.
  double depth = 1;
  /// The same, as a share of the lower of the peaks on both sides.
  double depth_of_lower = 1;
  /// Share of the records whose nearest lies below the gap.
  double near_share = 0;
  /// Where the other records begin: from their mode leftwards, the first place that is as good as
  /// empty.
  int others_begin = 0;
};
Gap FindGap(const NearStructure& structure);

}  // namespace neardup
