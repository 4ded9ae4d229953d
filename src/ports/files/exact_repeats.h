// Counts near duplicates that are equal to an earlier near duplicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_set>

#include "neardup/verdict.h"

namespace neardup {

/// A duplicate names a unique record, and its kind says how it compares with that one. A record may
/// also be equal to an earlier duplicate that is only near to their original. People who count
/// equal records count it, too. One owner thread.
class ExactRepeats {
 public:
  /// Remembers the exact hashes of this many near duplicates, the newest, in about 64 MB.
  static constexpr size_t kRememberedMax = size_t{1} << 20;

  explicit ExactRepeats(size_t remembered_max = kRememberedMax) : remembered_max_(remembered_max) {}

  /// Call it for each record in order. `exact`: Fingerprint::exact.
  void Saw(const Verdict& verdict, uint64_t exact);
  /// How many duplicates of the kind near are equal to an earlier duplicate of that kind.
  uint64_t count() const { return count_; }

 private:
  size_t remembered_max_;
  std::unordered_set<uint64_t> known_;
  std::deque<uint64_t> in_order_;
  uint64_t count_ = 0;
};

}  // namespace neardup
