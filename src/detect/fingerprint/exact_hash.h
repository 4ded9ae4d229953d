// The exact hash of a record, and the keys that keep records with different key fields apart.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/base/hash.h"

namespace neardup {

/// Hash of everything in a record that is compared.
/// FORMAT: Hash64 over the sum, as 8 bytes little-endian, of Hash64(text, path hash) of each text
/// that is not empty: of what Tokeniser::Tokenise returns if that is something, else of its tokens.
/// A sum does not depend on the order in which members are written; the path
/// hash in each term makes two texts that change places give another sum.
class ExactHash {
 public:
  /// `text`: what Tokenise returns, or the tokens, each followed by a space.
  void Add(std::string_view text, uint64_t path_hash);
  /// Adds everything that was added to `other`.
  void Add(const ExactHash& other) { sum_ += other.sum_; }
  uint64_t value() const;

 private:
  uint64_t sum_ = 0;
};

// FORMAT: the key of a record is the ExactHash of the texts of its key fields; it is 0, which
// changes nothing, if no key fields are configured. Equal keys cancel out of every distance.
// Different keys make two codes as different as two random numbers, and make text keys differ but
// for a chance of 2^-32. What remains is the tail of 64 fair coins: two records of different keys
// are within 8 bits with probability 3e-10, within 12 with 2e-7, and their order codes would have
// to agree as well.

/// FORMAT: simhash xor Mix64(key).
constexpr uint64_t KeyedSimhash(uint64_t simhash, uint64_t key) {
  return key == 0 ? simhash : simhash ^ Mix64(key);
}

/// FORMAT: order xor Mix64(key + 1).
constexpr uint64_t KeyedOrder(uint64_t order, uint64_t key) {
  return key == 0 ? order : order ^ Mix64(key + 1);
}

/// FORMAT: Mix64(triple xor key); applied before text keys are chosen.
constexpr uint64_t KeyedTriple(uint64_t triple, uint64_t key) {
  return key == 0 ? triple : Mix64(triple ^ key);
}

}  // namespace neardup
