// Tokens -> weighted features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace neardup {

/// A distinct token and what it counts for.
struct Feature {
  uint64_t hash = 0;
  uint64_t weight = 0;

  bool operator==(const Feature&) const = default;
};

/// Tokens up to `end` (an index) and from the end of the range before belong to one text.
struct TokenRange {
  size_t end = 0;
  uint32_t weight16 = 16;  ///< of the text's field, in steps of 1/16
};

/// FORMAT: w(n) = round(16 (1 + ln n)) with n = how often the token stands in all texts together,
/// 63 at most. With equal field weights of 1 a feature weighs 16 w(n); in general w(n) times the
/// mean weight16 of its n places, rounded down at the end. Integers only.
/// Keeps scratch memory: one instance per thread.
class FeatureCounter {
 public:
  /// The features, in the order of their first token, are valid until the next call. `ranges` cover
  /// all tokens.
  std::span<const Feature> Count(std::span<const uint64_t> tokens,
                                 std::span<const TokenRange> ranges);
  /// The distinct hashes, each with weight 1, in the order of their first place; valid until the
  /// next call.
  std::span<const Feature> CountDistinct(std::span<const uint64_t> hashes);

 private:
  void Clear(size_t tokens_max);
  /// While counting: how often, and the sum of weight16 in Feature::weight.
  void Add(uint64_t token, uint32_t weight16);

  std::vector<Feature> features_;
  std::vector<uint32_t> counts_;
  /// Open addressing: number of the feature + 1, 0 for a free slot. A power of two of them is used.
  std::vector<uint32_t> slots_;
  uint64_t slot_mask_ = 0;
};

}  // namespace neardup
