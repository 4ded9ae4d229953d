// Fingerprints: what is computed from a record's content, so that records can be compared.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// A record's content in 256 bits. The values are part of the stored format: for one
/// FingerprintSpec they never change.
struct Fingerprint {
  /// Weighted SimHash (Charikar 2002) of the tokens of the selected fields. The Hamming distance of
  /// two simhashes, 0 to 64, tells how alike two records are; unrelated records are about 32 apart.
  /// Key fields are not compared by likeness. They change all bits of `simhash` and `order`
  /// (detect/fingerprint/exact_hash.h), so that records with different keys look unrelated.
  uint64_t simhash = 0;
  /// SimHash of the pairs of adjacent tokens. It depends on their order, and confirms what
  /// `simhash` finds.
  uint64_t order = 0;
  /// Hash of the normalised selected fields: equal fields have equal hashes, and different fields
  /// have equal hashes with a chance of 2^-64.
  uint64_t exact = 0;
  /// The numbers among the tokens of the selected fields, without key fields, as a set of 64 bits:
  /// each number sets two (detect/fingerprint/number_set.h). Equal records have equal sets; records
  /// that share few numbers have bits that the other lacks, on both sides.
  uint64_t numbers = 0;
  // A record with fewer than FeatureOptions::features_min distinct tokens has simhash == exact, an
  // `order` derived from `exact`, so that it matches only equal records, and no `numbers`. With
  // ExactOnly (options.h), every record has such a fingerprint.

  bool operator==(const Fingerprint&) const = default;
};

/// A set of up to kKeysMax text keys: hashes of three adjacent tokens. Records that share one are
/// compared even if their simhashes are too far apart for the blocks. Keys are distinct and not 0.
template <size_t kKeysMax>
class TextKeys {
 public:
  static constexpr size_t kMax = kKeysMax;

  std::span<const uint32_t> keys() const { return {keys_.data(), count_}; }
  bool full() const { return count_ == kKeysMax; }
  void Add(uint32_t key) {
    assert(key != 0 && !full());
    keys_[count_++] = key;
  }

  bool operator==(const TextKeys&) const = default;

 private:
  std::array<uint32_t, kKeysMax> keys_{};
  uint32_t count_ = 0;
};

/// The keys that a record is looked up under, in order of preference.
using ProbedKeys = TextKeys<8>;
/// The keys that an entry is remembered under, chosen from those.
using StoredKeys = TextKeys<3>;

/// A record, ready to be decided. Unless outcome.comparable(), only the position and the outcome
/// mean anything.
struct FingerprintedRecord {
  Position position;
  ReadOutcome outcome;
  Fingerprint fingerprint;
  /// Empty if only equal records match, or if there are too few tokens.
  ProbedKeys text_keys;
  /// Number of distinct tokens. If only equal records match: number of all tokens.
  uint32_t features = 0;
};

}  // namespace neardup
