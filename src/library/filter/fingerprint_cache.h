// The fingerprints of the last records, so that an exact copy of one is not computed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "neardup/fingerprint.h"

namespace neardup {

/// What is computed from the tokens of a record. One cache line.
struct alignas(64) KnownFingerprint {
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  uint32_t features = 0;
};
static_assert(sizeof(KnownFingerprint) == 64);

/// Keeps one fingerprint in each slot: that of the last record whose exact hash has the slot. Logs
/// and events consist of few texts that come again and again; their fingerprints are computed once.
class FingerprintCache {
 public:
  /// A quarter of a megabyte: a part of the second-level cache of one core.
  static constexpr size_t kSlots = 4096;

  FingerprintCache() : slots_(kSlots) {
    // This hash belongs to another slot, so that none is found here yet.
    for (size_t slot = 0; slot < kSlots; ++slot) slots_[slot].fingerprint.exact = slot + 1;
  }

  /// Holds the fingerprint of this exact hash only if its fingerprint.exact says so. Otherwise the
  /// caller computes the fingerprint into it.
  KnownFingerprint& SlotOf(uint64_t exact) { return slots_[exact % kSlots]; }

 private:
  std::vector<KnownFingerprint> slots_;
};

}  // namespace neardup
