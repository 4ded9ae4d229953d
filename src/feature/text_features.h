// The tokens of a text, one after the other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "feature/character.h"

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

// Tokens -> weighted features.

/// A distinct token and what it counts for.
struct Feature {
  uint64_t hash = 0;
  uint64_t weight = 0;

  bool operator==(const Feature&) const = default;
};

/// Tokens up to `end` (an index) and from the end of the range before belong to one text.
struct TokenRange {
  size_t end = 0;
  uint32_t weight16 = 16;  ///< of the text's field, in steps of 1/16
};

/// FORMAT: w(n) = round(16 (1 + ln n)) with n = how often the token stands in all texts together,
/// 63 at most. With equal field weights of 1 a feature weighs 16 w(n); in general w(n) times the
/// mean weight16 of its n places, rounded down at the end. Integers only.
/// Keeps scratch memory: one instance per thread.
class FeatureCounter {
 public:
  /// The features, in the order of their first token, are valid until the next call. `ranges` cover
  /// all tokens.
  std::span<const Feature> Count(std::span<const uint64_t> tokens,
                                 std::span<const TokenRange> ranges);
  /// The distinct hashes, each with weight 1, in the order of their first place; valid until the
  /// next call.
  std::span<const Feature> CountDistinct(std::span<const uint64_t> hashes);

 private:
  void Clear(size_t tokens_max);
  /// While counting: how often, and the sum of weight16 in Feature::weight.
  void Add(uint64_t token, uint32_t weight16);

  std::vector<Feature> features_;
  std::vector<uint32_t> counts_;
  /// Open addressing: number of the feature + 1, 0 for a free slot. A power of two of them is used.
  std::vector<uint32_t> slots_;
  uint64_t slot_mask_ = 0;
};

// Features of adjacent tokens: what the order sketch and the text keys are made of.

/// FORMAT: the hash of two adjacent tokens a, b of one text is Mix64(Mix64(a) + b); a text of one
/// token gives Mix64(Mix64(a)). Appends to `pairs`.
void AppendPairs(std::span<const uint64_t> tokens, std::vector<uint64_t>& pairs);

/// FORMAT: the hash of three adjacent tokens a, b, c of one text is Mix64(Mix64(Mix64(a) + b) + c);
/// a text of one or two tokens gives Mix64 of the hash of its pair. Appends to `triples`.
void AppendTriples(std::span<const uint64_t> tokens, std::vector<uint64_t>& triples);

}  // namespace neardup
