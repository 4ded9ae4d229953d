// Payload -> all that fingerprints and what is learned from samples are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "feature/text_features.h"
#include "feature/tokeniser.h"
#include "fingerprint/exact_hash.h"
#include "fingerprint/simhash.h"
#include "neardup/options.h"
#include "record/field_extractor.h"

namespace neardup {

struct RecordFeatures {
  ReadOutcome outcome;
  // Only where outcome.comparable():
  uint64_t exact = 0;
  /// ExactHash of the key fields alone; 0 when none are configured.
  uint64_t key = 0;
  /// Distinct tokens, those of key fields aside.
  uint32_t features = 0;
  /// Too few features to be compared otherwise than exactly; `sums` and `order` mean nothing.
  bool exact_only = true;
  // Not keyed yet:
  BitSums sums{};
  uint64_t order = 0;
  /// Hashes of three adjacent tokens, keyed, not distinct. Valid until the next record.
  std::span<const uint64_t> triples;
};

/// Keeps scratch memory: one instance per thread. Of the model it uses the hash seed only.
class RecordFeatureReader {
 public:
  /// The options must be valid.
  explicit RecordFeatureReader(const FilterOptions& options);

  /// The result is valid until the next call.
  const RecordFeatures& Read(const RecordView& record);

 private:
  void Tokenise(const std::vector<TextPiece>& pieces);
  void TokeniseKeys(const std::vector<TextPiece>& pieces, ExactHash& exact);

  FieldExtractor extractor_;
  Tokeniser tokeniser_;
  Tokeniser key_tokeniser_;
  FeatureCounter counter_;
  TokenList tokens_;
  std::vector<TokenRange> ranges_;
  std::vector<uint64_t> pairs_;
  std::vector<uint64_t> triples_;
  uint32_t features_min_;
  bool keyed_;
  RecordFeatures result_;
};

}  // namespace neardup
