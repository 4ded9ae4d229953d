#include "bench/hash_quality.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace neardup {
namespace {

constexpr size_t kAvalancheTextsMax = 4000;
constexpr int kFlipsPerText = 8;

uint64_t LowMask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

Digest Cut(const Digest& digest, int bits) {
  return {digest.low & LowMask(bits), bits <= 64 ? 0 : digest.high & LowMask(bits - 64)};
}

int OneBits(const Digest& digest) { return std::popcount(digest.low) + std::popcount(digest.high); }

}  // namespace

uint64_t Collisions(std::span<const Digest> digests, int bits) {
  assert(bits >= 1 && bits <= 128);
  std::vector<Digest> cut;
  cut.reserve(digests.size());
  for (const Digest& digest : digests) cut.push_back(Cut(digest, bits));
  std::sort(cut.begin(), cut.end());
  const auto distinct_end = std::unique(cut.begin(), cut.end());
  return static_cast<uint64_t>(cut.end() - distinct_end);
}

double ExpectedCollisions(uint64_t texts, int bits) {
  const auto count = static_cast<double>(texts);
  return texts == 0 ? 0.0 : std::ldexp(count * (count - 1) / 2, -bits);
}

int BitsInUse(std::span<const Digest> digests) {
  Digest any;
  Digest all{~uint64_t{0}, ~uint64_t{0}};
  for (const Digest& digest : digests) {
    any = {any.low | digest.low, any.high | digest.high};
    all = {all.low & digest.low, all.high & digest.high};
  }
  return OneBits({any.low & ~all.low, any.high & ~all.high});
}

double BiasMax(std::span<const Digest> digests, int bits) {
  double bias_max = 0;
  for (int bit = 0; bit < std::min(bits, 64); ++bit) {
    const auto set = std::count_if(digests.begin(), digests.end(), [bit](const Digest& digest) {
      return (digest.low >> bit & 1) != 0;
    });
    const double share = static_cast<double>(set) / static_cast<double>(digests.size());
    bias_max = std::max(bias_max, std::abs(share - 0.5));
  }
  return bias_max;
}

double AvalancheShare(Digest (*hash)(std::string_view), int bits,
                      std::span<const std::string_view> texts, uint64_t seed) {
  std::mt19937_64 random(seed);
  const size_t step = texts.size() / kAvalancheTextsMax + 1;
  uint64_t changed = 0;
  uint64_t flips = 0;
  std::string text;
  for (size_t i = 0; i < texts.size(); i += step) {
    if (texts[i].empty()) continue;
    text = texts[i];
    const Digest before = Cut(hash(text), bits);
    for (int flip = 0; flip < kFlipsPerText; ++flip) {
      const uint64_t bit = random() % (text.size() * 8);
      const auto mask = static_cast<char>(1 << bit % 8);
      text[bit / 8] ^= mask;
      const Digest after = Cut(hash(text), bits);
      text[bit / 8] ^= mask;
      changed += OneBits({before.low ^ after.low, before.high ^ after.high});
      ++flips;
    }
  }
  return flips == 0 ? 0.0 : static_cast<double>(changed) / static_cast<double>(flips) / bits;
}

}  // namespace neardup
