// The fingerprints of the last records, so that an exact copy of one is not computed again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "neardup/fingerprint.h"

namespace neardup {

/// What is computed from the tokens of a record.
struct KnownFingerprint {
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  uint32_t features = 0;
};
static_assert(sizeof(KnownFingerprint) == 72);

/// Keeps one fingerprint in each slot: that of the last record whose exact hash has the slot. Logs
/// and events consist of few texts that come again and again; their fingerprints are computed once.
class FingerprintCache {
 public:
  /// 288 KB, which fit into the second-level cache of a core beside other data.
  static constexpr size_t kSlots = 4096;

  /// Returns nullptr if no fingerprint of this hash is kept.
  const KnownFingerprint* Find(uint64_t exact) const {
    const size_t slot = exact % kSlots;
    // Most texts are new. Their tags, which stay in fast memory, show it without a read of the
    // slot.
    if (tags_[slot] != TagOf(exact) || slots_[slot].fingerprint.exact != exact) return nullptr;
    return &slots_[slot];
  }
  void Keep(const KnownFingerprint& known) {
    const uint64_t exact = known.fingerprint.exact;
    tags_[exact % kSlots] = TagOf(exact);
    slots_[exact % kSlots] = known;
  }

 private:
  /// Not 0, which is the tag of a slot that holds nothing.
  static uint16_t TagOf(uint64_t exact) { return static_cast<uint16_t>(exact >> 48 | 1); }

  std::array<uint16_t, kSlots> tags_{};
  std::vector<KnownFingerprint> slots_ = std::vector<KnownFingerprint>(kSlots);
};

}  // namespace neardup
