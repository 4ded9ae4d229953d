// Why a record repeats another one, or does not: the verdict, every number behind it, and what
// would change it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detect/index/match.h"
#include "explain/record_explanation.h"
#include "neardup/filter.h"
#include "neardup/result.h"

namespace neardup {

// Divides the difference of two sketches among the words that make it.

/// How much a word, or a pair of words, adds to the difference of two sketches.
struct WordPull {
  std::string text;
  uint32_t count_a = 0;  ///< how often it occurs in the first record
  uint32_t count_b = 0;
  uint64_t weight_a = 0;
  uint64_t weight_b = 0;
  /// Its share of the bits that differ.
  double bits = 0;
};

struct SketchDifference {
  /// The bits that differ, ascending. Their number is the distance of the two codes.
  std::vector<int> bits;
  /// All words that one record lacks or weighs differently. The one with most bits comes first.
  std::vector<WordPull> pulls;
  /// The share of the model: its centre asks for larger votes in a record with more words.
  double model_bits = 0;
};

/// Each bit that differs is 1, and is divided among the words that moved its vote from the side of
/// the first record to the side of the second, in proportion to how far they moved it. So the sum
/// of all shares is the number of bits.
SketchDifference DivideDifference(const std::vector<ExplainedFeature>& features_a,
                                  const SketchVotes& votes_a,
                                  const std::vector<ExplainedFeature>& features_b,
                                  const SketchVotes& votes_b);

/// What decided. The values are in the order in which they are asked.
enum class Cause : uint8_t {
  kEqual,          ///< duplicate: the compared texts are equal
  kNear,           ///< duplicate: near enough
  kNotComparable,  ///< one of the two is a dead letter, or a null value that passes
  kOutsideWindow,  ///< the event times are too far apart
  kKeysDiffer,     ///< a key field differs
  kExactMode,      ///< they differ, and distance_max 0 asks for equal records
  kFewWords,       ///< they differ, and one has too few words to be compared by distance
  kTooFar,         ///< more bits of the simhash differ than allowed
  kTooFarInSum,    ///< the distances of simhash and order together are larger than allowed
  kNumbers,        ///< near enough, but their numbers conflict
  kNotFound,       ///< near enough, but the index would not look at the earlier record
};
const char* Name(Cause cause);

/// Settings that would give another verdict, such as match.distance_max 11.
struct VerdictChange {
  struct Setting {
    std::string path;   ///< as in the configuration
    std::string value;  ///< its new value, or what becomes of it, such as `without title`
  };
  std::vector<Setting> settings;
  Verdict verdict;
};

struct PairExplanation {
  ExplainedRecord a;  ///< the earlier one
  ExplainedRecord b;
  /// Of `b`, in a filter that has decided `a` and nothing else.
  Verdict verdict;
  Cause cause = Cause::kNotComparable;
  // The rest is set only if both records are comparable.
  /// Hamming distance of the simhashes, key fields included.
  std::optional<int> distance;
  int order_distance = 0;  ///< Hamming distance of the orders, key fields included
  NearnessLimits limits;
  std::vector<ExplainedKey> shared_keys;  ///< of those that `a` is remembered under
  bool keys_differ = false;               ///< the key fields, not the text keys
  /// The numbers that only one of them has (IsNumber), in the order of the text.
  std::vector<std::string> numbers_a;
  std::vector<std::string> numbers_b;
  // Without the key fields and without FeatureOptions::features_min:
  int conflict_bits = 0;  ///< as Nearness::conflict_bits
  SketchDifference words;
  SketchDifference pairs;
  /// Each line gives the other verdict, if nothing else changes. The smallest change of the match
  /// settings comes first.
  std::vector<VerdictChange> changes;
};

/// Explains the verdict on `b` after `a`. The positions of the views do not matter. kConfig if
/// CheckOptions refuses the options.
Result<PairExplanation> ExplainPair(const FilterOptions& options, const RecordView& a,
                                    const RecordView& b);

}  // namespace neardup
