#include <algorithm>
#include <bit>

#include "commands/evaluate/families.h"
#include "detect/base/hash.h"
#include "detect/fingerprint/simhash.h"

namespace neardup {
namespace {

using Words = std::span<const uint64_t>;

constexpr uint32_t kCountMax = 65'535;

/// The `count` bits that begin at bit `begin`; at most 64.
uint64_t BitsOf(Words words, size_t begin, size_t count) {
  const size_t word = begin / 64;
  const size_t shift = begin % 64;
  uint64_t bits = words[word] >> shift;
  if (shift != 0 && word + 1 < words.size()) bits |= words[word + 1] << (64 - shift);
  return count == 64 ? bits : bits & ((uint64_t{1} << count) - 1);
}

enum class Weights : bool { kOne, kCounts };

/// What the three schemes differ in.
struct Form {
  Weights weights;
  size_t words;
  size_t blocks_min;
};

/// If d bits differ, one of d + 1 blocks has no difference, so that its key is shared.
class SignScheme : public Scheme {
 public:
  SignScheme(const Form& form, const SchemeValues& values)
      : form_(form), distance_max_(static_cast<int>(values.Whole("distance_max"))) {}

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch = {};
    const auto counts = CountTokens(texts);
    std::vector<Feature> features(counts.size());
    for (size_t word = 0; word < form_.words; ++word) {
      for (size_t i = 0; i < counts.size(); ++i) {
        const bool plain = form_.words == 1;
        features[i].hash = plain ? counts[i].token : Mix64(counts[i].token + word + 1);
        features[i].weight =
            form_.weights == Weights::kOne ? 1 : std::min(counts[i].count, kCountMax);
      }
      sketch.words.push_back(Simhash(SumBits(features)));
    }
    const size_t bits = 64 * form_.words;
    const size_t blocks = std::max(static_cast<size_t>(distance_max_) + 1, form_.blocks_min);
    for (size_t i = 0; i < blocks; ++i) {
      const size_t begin = bits * i / blocks;
      const uint64_t block = BitsOf(sketch.words, begin, bits * (i + 1) / blocks - begin);
      sketch.keys.push_back(Mix64(block << 8 | i));
    }
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    int distance = 0;
    for (size_t i = 0; i < form_.words; ++i) distance += std::popcount(earlier[i] ^ later[i]);
    if (distance > distance_max_) return {};
    return distance;
  }

 private:
  Form form_;
  int distance_max_;
};

}  // namespace

std::unique_ptr<Scheme> NewSimhash(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<SignScheme>(Form{Weights::kOne, 1, 4}, values);
}

std::unique_ptr<Scheme> NewSimhashTf(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<SignScheme>(Form{Weights::kCounts, 1, 4}, values);
}

std::unique_ptr<Scheme> NewRandomProjection(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<SignScheme>(Form{Weights::kCounts, 6, 12}, values);
}

}  // namespace neardup
