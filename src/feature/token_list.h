// The tokens of a text, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "feature/utf8.h"

namespace neardup {

/// FORMAT: `text` is the tokens, each followed by a space, which stands in no token; the hash of a
/// token is Hash64 of its bytes with `hash_seed`. Grows to the largest text it has held and stays.
class TokenList {
 public:
  explicit TokenList(uint64_t hash_seed = 0) : hash_seed_(hash_seed) {}

  void Clear() {
    size_ = 0;
    token_begin_ = 0;
    hashes_.clear();
  }
  /// Bytes of text so far; with hashes().size() a mark to Truncate to.
  size_t size() const { return size_; }
  std::string_view TextFrom(size_t begin) const { return {bytes_.data() + begin, size_ - begin}; }
  std::span<const uint64_t> hashes() const { return hashes_; }

  void Truncate(size_t size, size_t hash_count) {
    size_ = size;
    token_begin_ = size;
    hashes_.resize(hash_count);
  }

  /// Room for that many more bytes. Put and EndToken write without looking: the caller reserves.
  void Reserve(size_t bytes) {
    if (bytes_.size() < size_ + bytes) bytes_.resize((size_ + bytes) * 2);
  }
  void PutByte(char byte) { bytes_[size_++] = byte; }
  void PutCodePoint(uint32_t code_point) { size_ += EncodeUtf8(code_point, &bytes_[size_]); }
  bool in_token() const { return size_ != token_begin_; }
  void EndToken() {
    if (!in_token()) return;
    hashes_.push_back(Hash64({&bytes_[token_begin_], size_ - token_begin_}, hash_seed_));
    PutByte(' ');
    token_begin_ = size_;
  }

 private:
  uint64_t hash_seed_;
  std::vector<char> bytes_;
  size_t size_ = 0;
  size_t token_begin_ = 0;
  std::vector<uint64_t> hashes_;
};

}  // namespace neardup
