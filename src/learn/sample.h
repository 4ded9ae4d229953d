// The records of a stream from which a model is learned and a distance is chosen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "detect/feature/token_list.h"
#include "detect/feature/tokeniser.h"
#include "detect/filter/record_features.h"
#include "detect/record/field_extractor.h"
#include "neardup/model.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

// The value of each selected field of a record, as a hash: shows in which fields near records
// differ.

/// One owner thread.
class FieldValueReader {
 public:
  /// The options must be valid.
  explicit FieldValueReader(const FilterOptions& options);

  /// For each selected field (one, if none are listed) a hash of its tokens and their paths; 0 if
  /// the field holds no token. Valid until the next call.
  const std::vector<uint64_t>& Read(const RecordView& record);

  /// For each selected field, whether at least half of its tokens in all records read are numbers,
  /// dates, codes or anything else that a mask would replace.
  std::vector<bool> NumericFields() const;

 private:
  void CountTokens(const TextPiece& piece);

  struct Counts {
    size_t tokens = 0;
    size_t maskable = 0;  ///< tokens that a mask would replace
  };

  FieldExtractor extractor_;
  Tokeniser tokeniser_;
  Tokeniser masking_tokeniser_;  ///< with all masks
  TokenList tokens_;             ///< scratch
  std::vector<uint64_t> values_;
  std::vector<Counts> counts_;  ///< by selected field
};

/// A record's fingerprint under one hash seed, before a centre and the record's key are applied.
struct UncentredFingerprint {
  /// The 64 sums of the simhash, divided by their root mean square, times 4096, rounded up.
  /// Rounding up keeps every comparison with a whole number: a sum is above a centre exactly when
  /// the unrounded quotient is.
  std::array<int32_t, 64> sums{};
  uint64_t order = 0;
};

/// A distinct record of the sample.
struct SampledRecord {
  Position position;
  uint64_t exact = 0;  ///< RecordFeatures::exact
  uint64_t key = 0;    ///< RecordFeatures::key
  uint32_t features = 0;
  /// Number of records that the sample was given before this one, repeats and dead letters
  /// included.
  uint64_t number = 0;
  /// The record was drawn at random. The others are in the sample because they are near one that
  /// was.
  bool drawn = true;
  /// The record has too few tokens to be compared by distance. Then the following are empty.
  bool exact_only = false;
  /// One for each hash seed of the sample.
  std::vector<UncentredFingerprint> fingerprints;
  /// Hashes of three tokens in a row, keyed, under the first hash seed; distinct, ascending.
  std::vector<uint64_t> triples;
  /// FieldValueReader::Read.
  std::vector<uint64_t> values;
};

/// Distinct records of a stream, in order of arrival. Takes some kilobytes a record. One owner
/// thread.
class Sample {
 public:
  /// `options` must be valid. `hash_seeds` (at least one) take the place of its model's hash seed.
  Sample(const FilterOptions& options, const std::vector<uint64_t>& hash_seeds);

  /// Keeps the record if its exact hash is new. Repeats, dead letters and records that pass
  /// unchecked are only counted.
  void Add(const RecordView& record, bool drawn = true);

  const std::vector<SampledRecord>& records() const { return records_; }
  const std::vector<uint64_t>& hash_seeds() const { return hash_seeds_; }
  /// FieldValueReader::NumericFields, over the records that are compared by distance.
  std::vector<bool> numeric_fields() const { return values_.NumericFields(); }
  uint64_t seen() const { return seen_; }
  uint64_t repeats() const { return repeats_; }
  uint64_t dead_letters() const { return dead_letters_; }
  /// Why the first dead letter cannot be compared; empty: there is none.
  const std::string& first_dead_letter() const { return first_dead_letter_; }

 private:
  std::vector<uint64_t> hash_seeds_;
  std::vector<RecordFeatureReader> readers_;  ///< by hash seed
  FieldValueReader values_;
  std::vector<SampledRecord> records_;
  std::unordered_set<uint64_t> exact_;
  uint64_t seen_ = 0;
  uint64_t repeats_ = 0;
  uint64_t dead_letters_ = 0;
  std::string first_dead_letter_;
};

/// The mean of UncentredFingerprint::sums over the sample, for each bit. `seed` is an index into
/// Sample::hash_seeds().
std::array<int32_t, 64> CentreOf(const Sample& sample, size_t seed);

/// The model of the sample's first hash seed: its centre, and as common phrases all triples that
/// occur in more than 1 % of the records and in more than 10. With fewer than 100 records that can
/// be compared by distance, the model holds the hash seed only.
Model LearnModel(const Sample& sample);

/// Says that a sample without records() holds nothing that can be compared, and why. To be put
/// after the name of its file or topic.
std::string NothingComparableText(const Sample& sample);

/// The simhash for a centre that was learned with the same hash seed; the key is not applied yet.
uint64_t SimhashOf(const UncentredFingerprint& fingerprint, const std::array<int32_t, 64>& centre);

// Draws the records of a sample that are studied closely, so that copies are among them.

/// Records drawn at random, and for each of them the nearest others of the whole sample. A random
/// part of a large sample would hold hardly any record together with its copy, and consecutive
/// records would show only those copies that come at once. Hashes of the records decide which are
/// drawn, so their order changes nothing.
struct DrawnRecords {
  struct Drawn {
    size_t record = 0;      ///< index into the sample
    bool at_random = true;  ///< false: it is near one that was drawn at random
  };
  std::vector<Drawn> records;  ///< by index, ascending
  Model model;                 ///< of RandomPart
  // Of the whole sample:
  uint64_t repeats = 0;
  uint64_t dead_letters = 0;
  uint64_t distinct = 0;
};

/// Samples of at most this many records are drawn as a whole.
inline constexpr size_t kStudiedMax = 3000;

/// At most `count` records, in their order. The hashes of their payloads decide which, so that a
/// sample in another order has the same part.
std::vector<RecordView> RandomPart(std::span<const RecordView> records, size_t count = kStudiedMax);

/// At most `count` records, in the order of the hashes of their payloads: the same for a sample in
/// any order.
std::vector<RecordView> ShuffledPart(std::span<const RecordView> records, size_t count);

/// The model of RandomPart, without which all simhashes of a stream are alike. The options must be
/// valid; the model has the hash seed of `options`.
Model ModelOfPart(std::span<const RecordView> records, const FilterOptions& options);

/// The options must be valid; the model has the hash seed of `options`. Deterministic.
DrawnRecords DrawRecords(std::span<const RecordView> records, const FilterOptions& options);

}  // namespace neardup
