// When an entry matches a record, and which match is the best.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "detect/index/processor.h"
#include "neardup/fingerprint.h"
#include "neardup/options.h"
#include "neardup/verdict.h"

namespace neardup {

/// How far apart two records are.
struct Nearness {
  int distance = 0;        ///< Hamming distance of the simhashes
  int order_distance = 0;  ///< Hamming distance of Fingerprint::order
  int shared_keys = 0;     ///< text keys that both have
  uint32_t features = 0;   ///< distinct tokens of the later record
  int conflict_bits = 0;   ///< ConflictBits of Fingerprint::numbers
};

/// How far two sets of numbers conflict: the bits that only one of them has, counted in the set
/// that has fewer such bits. So the numbers of a passage that one record lacks do not count.
constexpr int ConflictBits(uint64_t a, uint64_t b) {
  return std::min(BitCount(a & ~b), BitCount(b & ~a));
}

/// `features` and `shared_keys` as in Nearness.
constexpr Nearness NearnessOf(const Fingerprint& later, const Fingerprint& earlier, int shared_keys,
                              uint32_t features) {
  return {BitCount(later.simhash ^ earlier.simhash), BitCount(later.order ^ earlier.order),
          shared_keys, features, ConflictBits(later.numbers, earlier.numbers)};
}

/// How many of these text keys are among the others.
inline int SharedKeys(std::span<const uint32_t> keys, std::span<const uint32_t> others) {
  return static_cast<int>(std::ranges::count_if(
      keys, [others](uint32_t key) { return std::ranges::find(others, key) != others.end(); }));
}

/// With MatchOptions::widen, each shared text key adds this many bits to the allowed distances, up
/// to this many keys: three to the distance of the words, and two to the sum. An original is
/// remembered under three keys.
inline constexpr int kBitsPerKey = 2;
inline constexpr int kWideningKeysMax = 3;
inline constexpr int kSumWideningKeysMax = 2;

/// Whether two event times are at most `window_ms` (0 or more) apart.
inline bool WithinWindow(int64_t a_ms, int64_t b_ms, int64_t window_ms) {
  const auto [low, high] = std::minmax(a_ms, b_ms);
  return static_cast<uint64_t>(high) - static_cast<uint64_t>(low) <=
         static_cast<uint64_t>(window_ms);
}

/// The rule for suspects, as one for duplicates; nullopt if there are none.
constexpr std::optional<MatchOptions> SuspectRule(const MatchOptions& match) {
  if (match.distance_max == 0 || match.suspect_distance_max <= match.distance_max) return {};
  MatchOptions rule = match;
  rule.similarity = 0;
  rule.distance_chance_max = match.suspect_distance_max;
  rule.distance_max = match.suspect_distance_max;
  rule.distance_sum_max += match.suspect_distance_max - match.distance_max;
  rule.features_per_bit = 0;
  return rule;
}

/// The largest simhash distance of a match, a suspect one included.
constexpr int DistanceMax(const MatchOptions& match) {
  if (match.distance_max == 0) return 0;
  const int widening = match.widen ? kBitsPerKey * kWideningKeysMax : 0;
  return std::max(match.distance_max, match.suspect_distance_max) + widening;
}

/// The largest distances of two texts that share a part of their phrases.
struct SimilarityLimits {
  int distance_max = 0;  ///< of Nearness::distance
  int sum_max = 0;       ///< of Nearness::distance + Nearness::order_distance
};

/// `similarity` is in MatchOptions::kSimilarityRange, and counts in whole percents. 0: no limits.
///
/// A changed token changes one token, two pairs and three phrases. So texts that share the part s
/// of their phrases share 1 - (1 - s) / 3 of their tokens, and 1 - 2 (1 - s) / 3 of their pairs. A
/// bit of a sketch differs with the probability angle / pi, where the cosine of the angle is the
/// shared part (Charikar 2002). The limits are the expected distances and half of a standard
/// deviation, so that most pairs at the limit are found: 0.6 gives 12 and 28 bits, 0.95 gives 5
/// and 10.
SimilarityLimits LimitsOf(double similarity);

/// The stricter of the limits, for people: similarity 0.6, distance_max 5, or only equal records.
std::string LimitText(const MatchOptions& match);

/// The largest distance of two records by match.distance_max and match.similarity.
inline int LikenessMax(const MatchOptions& match) {
  return std::min(match.distance_max, LimitsOf(match.similarity).distance_max);
}

/// How far apart two records may be.
struct NearnessLimits {
  int distance_max = 0;  ///< of Nearness::distance
  int sum_max = 0;       ///< of Nearness::distance + Nearness::order_distance
  // The bits that shared text keys add, which are part of the limits:
  int widening = 0;
  int sum_widening = 0;
};

/// The limits for two records whose selected fields differ, of which the later one has `features`
/// distinct tokens. A shared text key is evidence of its own: with `widen`, each key allows 2 more
/// bits, so that simhash distances of up to 14, 16 and 18 can match. The words that all records of
/// a stream share weigh little, so a few others may make most of the distance. The sum of both
/// distances stays within 4 more bits.
inline NearnessLimits LimitsFor(const MatchOptions& match, uint32_t features, int shared_keys) {
  const int keys = match.widen ? shared_keys : 0;
  const int widening = kBitsPerKey * std::min(keys, kWideningKeysMax);
  const int sum_widening = kBitsPerKey * std::min(keys, kSumWideningKeysMax);
  int distance_max = LikenessMax(match);
  if (shared_keys == 0) distance_max = std::min(distance_max, match.distance_chance_max);
  if (match.features_per_bit != 0) {
    const uint32_t backed = std::min(features / match.features_per_bit, uint32_t{64});
    distance_max = std::min(distance_max, static_cast<int>(backed));
  }
  const int sum_max = std::min(match.distance_sum_max, LimitsOf(match.similarity).sum_max);
  return {distance_max + widening, sum_max + sum_widening, widening, sum_widening};
}

/// One number may conflict for so many distinct tokens of the later record.
inline constexpr uint32_t kFeaturesPerConflict = 50;
/// A number sets this many bits of Fingerprint::numbers.
inline constexpr int kBitsPerNumber = 2;

/// Whether the numbers of two near records allow that they are duplicates. Volume 3 is no copy of
/// volume 4, and the prices of one day are none of another day, however alike the other words are.
/// A long text may be corrected in a number: hence 2 % of the tokens. Of 377 books in series, 74
/// were joined wrongly without this rule, and none is with it. On 14 of 16 labelled sets, F1 moves
/// by less than 0.001, or rises by up to 0.004. On the other two it costs recall: copies have
/// typing errors in their numbers, or cite one paper with several years. For such records
/// match.numbers is off.
constexpr bool NumbersAgree(const MatchOptions& match, int conflict_bits, uint32_t features) {
  if (!match.numbers) return true;
  return conflict_bits <= kBitsPerNumber * static_cast<int>(features / kFeaturesPerConflict);
}

/// Whether two records whose selected fields differ are near enough to be duplicates.
inline bool Accepts(const MatchOptions& match, const Nearness& nearness) {
  const bool only_equal = match.distance_chance_max == 0 && nearness.shared_keys == 0;
  if (match.distance_max == 0 || only_equal) return false;
  const NearnessLimits limits = LimitsFor(match, nearness.features, nearness.shared_keys);
  return nearness.distance <= limits.distance_max &&
         nearness.distance + nearness.order_distance <= limits.sum_max &&
         NumbersAgree(match, nearness.conflict_bits, nearness.features);
}

/// An entry that matches a record, by its number in the index.
struct EntryMatch {
  uint64_t id = 0;
  int distance = 0;        ///< as Match::distance
  int order_distance = 0;  ///< Hamming distance of Fingerprint::order
  MatchKind kind = MatchKind::kExact;
  bool suspect = false;  ///< as Match::suspect

  bool operator==(const EntryMatch&) const = default;
};

/// Whether `a` is the better match: exact before near before suspect, then the smaller sum of both
/// distances, then the older entry. No two entries are equally good.
inline bool Better(const EntryMatch& a, const EntryMatch& b) {
  const int sum_a = a.distance + a.order_distance;
  const int sum_b = b.distance + b.order_distance;
  return std::tie(a.kind, a.suspect, sum_a, a.id) < std::tie(b.kind, b.suspect, sum_b, b.id);
}

}  // namespace neardup
