// How the readers of the changelog recognise one of its records.
#pragma once

#include <cstdint>

namespace neardup {

/// Identifies a record of the changelog. Two logs hold the same delta at the same offset only if
/// one is a copy of the other up to there, because each promotion marks its deltas (Delta::writer).
struct ChangelogMark {
  int64_t offset = -1;
  uint64_t checksum = 0;  ///< Hash64 of its bytes

  bool operator==(const ChangelogMark&) const = default;
};

}  // namespace neardup
