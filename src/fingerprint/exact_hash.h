// The hash of all that is compared.
#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace neardup
