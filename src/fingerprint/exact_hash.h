// The hash of all that is compared.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash.h"

namespace neardup {

/// FORMAT: Hash64 over the sum, as 8 bytes little-endian, of Hash64(token text, path hash) of each
/// text that has a token. A sum, so that it does not matter in which order an object is written;
/// the path hash in each term says where the text stood, so that texts cannot change places.
class ExactHash {
 public:
  void Add(std::string_view token_text, uint64_t path_hash);
  uint64_t value() const;

 private:
  uint64_t sum_ = 0;
};

// How key fields keep records apart.

// FORMAT: the key of a record is the ExactHash of the texts of its key fields; 0, which changes
// nothing, where no key fields are configured. Equal keys cancel out of every distance; under
// different ones two codes are as far apart as two random numbers, and text keys never meet but by
// a chance of 2^-32. What is left is the tail of 64 fair coins: a pair of different keys is within
// 8 bits in 3e-10 of the cases, within 12 in 2e-7, and the order sketch has to agree as well.

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
