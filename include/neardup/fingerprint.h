// What is remembered of a record's content.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// `simhash`: weighted 64-bit SimHash of the tokens of the selected fields; the Hamming distance of
/// two of them tells how alike the records are. `order`: 64-bit SimHash of the pairs of adjacent
/// tokens, which knows their order and confirms what the first one finds. `exact`: 64-bit hash of
/// the normalised selected fields; equal when (and, but for a 2^-64 chance, only when) these are.
/// Key fields take no part in simhash and order but turn both into others
/// (fingerprint/exact_hash.h), so that records of different keys are about 32 bits apart in each.
/// A record with fewer than features_min distinct tokens has simhash == exact and order derived of
/// it, so that it is near nothing but its equals. All are part of the changelog's format and never
/// change for one FingerprintSpec.
struct Fingerprint {
  uint64_t simhash = 0;
  uint64_t order = 0;
  uint64_t exact = 0;

  bool operator==(const Fingerprint&) const = default;
};

/// Hashes of three adjacent tokens under which a record can be found again when its simhash is too
/// far away for the blocks. None is 0; they are distinct.
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

/// Looked up, in this order of preference.
using ProbedKeys = TextKeys<8>;
/// Of these, the ones an entry is remembered under.
using StoredKeys = TextKeys<3>;

/// What another scheme than the filter's own (MatchScheme) keeps of a record; empty for that one.
struct Sketch {
  /// Compared by Scheme::Distance; what they mean is the scheme's.
  std::vector<uint64_t> words;
  /// An earlier record is met when it shares one of these; distinct.
  std::vector<uint64_t> keys;

  size_t bytes() const { return (words.size() + keys.size()) * sizeof(uint64_t); }
  bool operator==(const Sketch&) const = default;
};

/// A record of a larger sketch is a dead letter: an entry has to fit into a changelog record.
inline constexpr size_t kSketchBytesMax = size_t{512} << 10;

/// The stateless half of a decision. Unless outcome.comparable(), all but the position and the
/// outcome mean nothing.
struct FingerprintedRecord {
  Position position;
  ReadOutcome outcome;
  Fingerprint fingerprint;
  ProbedKeys text_keys;
  /// With another scheme than the filter's own: what is compared, in place of simhash, order and
  /// text keys, which are 0 and none.
  Sketch sketch;
  /// Distinct tokens found; with such a scheme, all tokens.
  uint32_t features = 0;
};

}  // namespace neardup
