#include "fingerprint/simhash.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace neardup {
namespace {

constexpr int kBits = 64;
constexpr uint64_t kWeightEnd = uint64_t{1} << 18;
/// As many features as cannot overflow a 32-bit sum.
constexpr size_t kChunk = (uint64_t{1} << 32) / kWeightEnd - 1;

constexpr int kHalf = kBits / 2;

/// Four sums side by side. Spelled out with the vectors of g++ and clang++, because neither finds
/// them by itself here; the loop below is five times as fast for it.
using Lanes = uint32_t __attribute__((vector_size(16)));
constexpr int kLanes = 4;

/// Adds to `sums`, for each of 32 bits, the weights of the features that have it set.
void SumHalf(std::span<const Feature> features, int shift, uint64_t* sums) {
  Lanes bits[kHalf / kLanes];
  Lanes set[kHalf / kLanes] = {};
  for (int bit = 0; bit < kHalf; ++bit) bits[bit / kLanes][bit % kLanes] = uint32_t{1} << bit;
  for (const Feature& feature : features) {
    const Lanes half = Lanes{} + static_cast<uint32_t>(feature.hash >> shift);
    const Lanes weight = Lanes{} + static_cast<uint32_t>(feature.weight);
    for (int i = 0; i < kHalf / kLanes; ++i) {
      set[i] += reinterpret_cast<Lanes>((half & bits[i]) == bits[i]) & weight;
    }
  }
  for (int bit = 0; bit < kHalf; ++bit) sums[bit] += set[bit / kLanes][bit % kLanes];
}

}  // namespace

uint64_t Simhash(std::span<const Feature> features) {
  std::array<uint64_t, kBits> set{};
  uint64_t total = 0;
  for (const Feature& feature : features) {
    assert(feature.weight < kWeightEnd);
    total += feature.weight;
  }
  while (!features.empty()) {
    const auto chunk = features.first(std::min(features.size(), kChunk));
    SumHalf(chunk, 0, set.data());
    SumHalf(chunk, kBits / 2, set.data() + kBits / 2);
    features = features.subspan(chunk.size());
  }
  uint64_t simhash = 0;
  for (int bit = 0; bit < kBits; ++bit) simhash |= uint64_t{2 * set[bit] > total} << bit;
  return simhash;
}

}  // namespace neardup
