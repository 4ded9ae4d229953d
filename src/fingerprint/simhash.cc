#include "fingerprint/simhash.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace neardup {
namespace {

constexpr int kBits = 64;
constexpr int kHalf = kBits / 2;
constexpr int64_t kCentreUnit = 4096;
constexpr int kSumBitsMax = 28;
constexpr uint64_t kWeightEnd = uint64_t{1} << 18;
/// The weights of this many features always add up to less than 2^32.
constexpr size_t kChunk = (uint64_t{1} << 32) / kWeightEnd - 1;

/// Four sums side by side, in the vector types of g++ and clang++. Neither compiler vectorises the
/// loop below by itself; with these types it is five times as fast.
using Lanes = uint32_t __attribute__((vector_size(16)));
constexpr int kLanes = 4;

/// Adds to sums[bit], for each of the 32 bits from `shift` on, the weights of the features that
/// have the bit set.
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

BitSums SumBits(std::span<const Feature> features) {
  std::array<uint64_t, kBits> set{};
  uint64_t total = 0;
  for (const Feature& feature : features) {
    assert(feature.weight < kWeightEnd);
    total += feature.weight;
  }
  while (!features.empty()) {
    const auto chunk = features.first(std::min(features.size(), kChunk));
    SumHalf(chunk, 0, set.data());
    SumHalf(chunk, kHalf, set.data() + kHalf);
    features = features.subspan(chunk.size());
  }
  BitSums sums;
  for (int bit = 0; bit < kBits; ++bit) sums[bit] = static_cast<int64_t>(2 * set[bit] - total);
  return sums;
}

uint64_t Simhash(const BitSums& sums) {
  uint64_t simhash = 0;
  for (int bit = 0; bit < kBits; ++bit) simhash |= uint64_t{sums[bit] > 0} << bit;
  return simhash;
}

uint64_t CentredSimhash(const BitSums& sums, const std::array<int32_t, 64>& centre) {
  BitSums scaled = sums;
  const int64_t root = RootMeanSquare(scaled);
  uint64_t simhash = 0;
  for (int bit = 0; bit < kBits; ++bit) {
    simhash |= uint64_t{kCentreUnit * scaled[bit] > root * centre[bit]} << bit;
  }
  return simhash;
}

int64_t RootMeanSquare(BitSums& sums) {
  uint64_t largest = 0;
  for (const int64_t sum : sums) largest |= static_cast<uint64_t>(std::abs(sum));
  const int shift = std::max(static_cast<int>(std::bit_width(largest)) - kSumBitsMax, 0);
  uint64_t squares = 0;
  for (int64_t& sum : sums) {
    sum /= int64_t{1} << shift;
    squares += static_cast<uint64_t>(sum * sum);
  }
  const uint64_t mean = squares / kBits;
  // The floating-point root may be off by one.
  auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(mean)));
  while (root * root > mean) --root;
  while ((root + 1) * (root + 1) <= mean) ++root;
  return static_cast<int64_t>(std::max<uint64_t>(root, 1));
}

}  // namespace neardup
