// What a fingerprint was computed from: the texts and words of a record, and their votes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "detect/feature/text_features.h"
#include "detect/filter/record_features.h"
#include "detect/fingerprint/simhash.h"
#include "neardup/filter.h"

namespace neardup {

/// A text that is compared.
struct ExplainedText {
  std::string path;    ///< where it stands: a top-level name or a JSON Pointer
  uint32_t field = 0;  ///< index into RecordOptions::fields; 0 if none are listed
  double weight = 1;
  bool key = false;  ///< belongs to a key field
  std::string text;
};

/// A distinct word (token), or a distinct pair of adjacent words.
struct ExplainedFeature {
  std::string text;    ///< folded; a masked part is <time>, <uuid>, ...
  uint64_t hash = 0;   ///< its bits are what the feature votes for
  uint32_t count = 0;  ///< how often it occurs
  uint64_t weight = 0;
};

struct ExplainedKey {
  uint32_t key = 0;
  std::string words;  ///< the adjacent words that it was made of
};

/// The 64 votes that make the bits of a sketch.
struct SketchVotes {
  BitSums sums{};
  /// What a sum must exceed, so that its bit is 1. Not 0 only with a Model::centre.
  std::array<double, 64> bars{};
  /// The bits that the votes make, without the key fields and without FeatureOptions::features_min.
  uint64_t code = 0;
};

struct ExplainedRecord {
  /// What the filter decides on, with near features also where only equal records match. Unless
  /// outcome.comparable(), nothing else is set.
  FingerprintedRecord fingerprinted;
  std::vector<ExplainedText> texts;  ///< in the order of the document
  // Without the words of key fields:
  std::vector<ExplainedFeature> words;  ///< in the order of their first occurrence
  std::vector<ExplainedFeature> pairs;
  SketchVotes words_votes;  ///< make Fingerprint::simhash
  SketchVotes pairs_votes;  ///< make Fingerprint::order
  /// As RecordFeatures::key: 0 without key fields.
  uint64_t key = 0;
  /// Too few words, so that the record is compared only exactly.
  bool exact_only = false;
  /// The text keys that the record is looked up under, in order of preference.
  std::vector<ExplainedKey> text_keys;
};

/// Explains records. Keeps scratch memory: one instance per thread.
class RecordExplainer {
 public:
  /// The options must be valid.
  explicit RecordExplainer(const FilterOptions& options);

  ExplainedRecord Explain(const RecordView& record);

 private:
  void ExplainTexts(const RecordView& record, ExplainedRecord& explained);
  void ExplainWords(ExplainedRecord& explained);
  void ExplainAdjacentWords(ExplainedRecord& explained);

  FilterOptions options_;
  RecordFeatureReader reader_;
  Fingerprinter fingerprinter_;
  FeatureCounter counter_;
};

}  // namespace neardup
