#include "fingerprint/text_keys.h"

#include <algorithm>
#include <array>

#include "base/hash.h"

namespace neardup {

namespace {

constexpr size_t kRanks = 8;

/// The smallest distinct ranks added so far, ascending; UINT64_MAX where there are fewer.
class SmallestRanks {
 public:
  SmallestRanks() { ranks_.fill(UINT64_MAX); }

  /// False: adding `rank` would change nothing.
  bool Takes(uint64_t rank) const { return rank < ranks_.back(); }
  void Add(uint64_t rank) {
    const auto place = std::lower_bound(ranks_.begin(), ranks_.end(), rank);
    if (*place == rank) return;
    std::move_backward(place, ranks_.end() - 1, ranks_.end());
    *place = rank;
  }
  const std::array<uint64_t, kRanks>& ranks() const { return ranks_; }

 private:
  std::array<uint64_t, kRanks> ranks_;
};

}  // namespace

ProbedKeys ChooseTextKeys(std::span<const uint64_t> triples, const Model& model) {
  SmallestRanks smallest;
  for (const uint64_t triple : triples) {
    const uint64_t rank = Mix64(triple + 2);
    if (!smallest.Takes(rank)) continue;
    if (std::binary_search(model.common.begin(), model.common.end(), triple)) continue;
    smallest.Add(rank);
  }
  ProbedKeys keys;
  for (const uint64_t rank : smallest.ranks()) {
    if (rank == UINT64_MAX) break;
    const uint32_t key = std::max(static_cast<uint32_t>(Mix64(rank) >> 32), uint32_t{1});
    const auto chosen = keys.keys();
    if (std::find(chosen.begin(), chosen.end(), key) == chosen.end()) keys.Add(key);
  }
  return keys;
}

}  // namespace neardup
