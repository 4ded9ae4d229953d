// Reads payloads into tokens and features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "detect/feature/text_features.h"
#include "detect/feature/tokeniser.h"
#include "detect/fingerprint/exact_hash.h"
#include "detect/fingerprint/simhash.h"
#include "detect/record/field_extractor.h"
#include "neardup/options.h"

namespace neardup {

/// The outcome of reading a record, and the hashes of its text.
struct RecordHashes {
  ReadOutcome outcome;
  // The rest is set only if outcome.comparable().
  /// As Fingerprint::exact. If the text does not tell what the record is (FieldSelector::free), it
  /// covers the free fields, too.
  uint64_t exact = 0;
  /// ExactHash of the texts alone, which Model::standing lists. Set only if there are free fields.
  uint64_t text = 0;
  /// Whether the text tells what the record is, or no field is free.
  bool tells = true;
  /// ExactHash of the key fields alone; 0 if there are none.
  uint64_t key = 0;
};

/// Reads payloads into tokens. Keeps scratch memory: one instance per thread.
class RecordTokenReader {
 public:
  /// The options must be valid; of the model, only the standing texts are used. `hash_seed` is the
  /// seed of the token hashes. With nullopt, no token is hashed.
  RecordTokenReader(const FilterOptions& options, std::optional<uint64_t> hash_seed);

  /// The result is valid until the next call.
  const RecordHashes& Read(const RecordView& record);

  // What the last record that was comparable() was made of. Valid until the next call of Read.
  std::span<const TextPiece> pieces() const { return pieces_; }
  /// The tokens of all pieces except key and free fields, in order, each followed by a space.
  std::string_view text() const { return tokens_.TextFrom(0); }
  size_t token_count() const { return tokens_.token_count(); }
  /// Must not be called without a hash seed.
  std::span<const uint64_t> hashes() { return tokens_.hashes(); }
  /// Where the tokens of each such piece end.
  std::span<const TokenRange> ranges() const { return ranges_; }

 private:
  void Tokenise(const std::vector<TextPiece>& pieces);
  /// Adds the pieces for which `is_one` is true. Leaves tokens_ empty.
  void AddEqual(const std::vector<TextPiece>& pieces, bool TextPiece::*is_one, ExactHash& hash);

  FieldExtractor extractor_;
  Tokeniser tokeniser_;
  Tokeniser key_tokeniser_;
  TokenList tokens_;
  std::vector<TokenRange> ranges_;
  bool keyed_;
  bool has_free_;
  std::vector<uint64_t> standing_;
  std::span<const TextPiece> pieces_;
  RecordHashes result_;
};

/// What fingerprints are computed from, and what learning takes from samples.
struct RecordFeatures {
  /// Number of distinct tokens, without the tokens of key fields.
  uint32_t features = 0;
  /// The record has too few features to be compared otherwise than exactly. The rest is not set.
  bool exact_only = true;
  // `sums` and `order` do not depend on the key yet:
  BitSums sums{};
  uint64_t order = 0;
  /// Hashes of three adjacent tokens, which depend on the key; may repeat. Valid until the next
  /// record.
  std::span<const uint64_t> triples;
};

/// Reads payloads into features, in two steps. Keeps scratch memory: one instance per thread. Of
/// the model it uses only the hash seed.
class RecordFeatureReader {
 public:
  /// The options must be valid.
  explicit RecordFeatureReader(const FilterOptions& options);

  /// The result is valid until the next call.
  const RecordHashes& Read(const RecordView& record);
  /// The features of the last record, which must be comparable(). Valid until the next call.
  /// Records with equal RecordHashes::exact have the same features, but perhaps in another order of
  /// `triples`. Different texts have equal hashes with a chance of 2^-64.
  const RecordFeatures& Count();

  /// The tokens of the last record. Its Read must not be called.
  RecordTokenReader& tokens() { return tokens_; }

 private:
  RecordTokenReader tokens_;
  FeatureCounter counter_;
  std::vector<uint64_t> pairs_;
  std::vector<uint64_t> triples_;
  uint32_t features_min_;
  uint64_t key_ = 0;
  bool tells_ = true;
  RecordFeatures result_;
};

}  // namespace neardup
