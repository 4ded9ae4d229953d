// Divides the difference of two sketches among the words that make it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "explain/record_explanation.h"

namespace neardup {

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

}  // namespace neardup
