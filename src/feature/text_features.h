// Features of texts: lists of tokens, weighted tokens, and hashes of adjacent tokens.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "feature/character.h"

namespace neardup {

/// The tokens of one or more texts. Tokens are appended byte by byte:
///     tokens.Reserve(3);
///     tokens.PutByte('o');
///     tokens.PutByte('k');
///     tokens.EndToken();
/// Keeps the memory of the longest text it has held.
/// FORMAT: the text is the tokens, each followed by a space, which never stands in a token; the
/// hash of a token is Hash64 of its bytes with `hash_seed`.
class TokenList {
 public:
  explicit TokenList(uint64_t hash_seed = 0) : hash_seed_(hash_seed) {}

  void Clear() {
    size_ = 0;
    token_begin_ = 0;
    hashes_.clear();
  }
  /// Bytes of text so far. size() and hashes().size() are the arguments to come back here with
  /// Truncate.
  size_t size() const { return size_; }
  std::string_view TextFrom(size_t begin) const { return {bytes_.data() + begin, size_ - begin}; }
  std::span<const uint64_t> hashes() const { return hashes_; }

  void Truncate(size_t size, size_t hash_count) {
    size_ = size;
    token_begin_ = size;
    hashes_.resize(hash_count);
  }

  /// Makes room for `bytes` more bytes. PutByte, PutEight, PutCodePoint and EndToken (1 byte) do
  /// not check for room: the caller must reserve it.
  void Reserve(size_t bytes) {
    if (bytes_.size() < size_ + bytes) bytes_.resize((size_ + bytes) * 2);
  }
  void PutByte(char byte) { bytes_[size_++] = byte; }
  /// Appends the lowest `count` of the eight bytes, 0 to 8; needs room for eight.
  void PutEight(uint64_t bytes, size_t count) {
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    std::memcpy(&bytes_[size_], &bytes, sizeof bytes);
    size_ += count;
  }
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

/// A distinct token and its weight.
struct Feature {
  uint64_t hash = 0;
  uint64_t weight = 0;

  bool operator==(const Feature&) const = default;
};

/// The tokens of one text: those from the `end` of the range before up to `end`, an index.
struct TokenRange {
  size_t end = 0;
  uint32_t weight16 = 16;  ///< of the text's field, in steps of 1/16
};

/// Turns the tokens of a record into weighted features. Keeps scratch memory: one instance per
/// thread.
/// FORMAT: a token that occurs n times in all texts weighs w(n) x the mean weight16 of its
/// occurrences, rounded down, with w(n) = round(16 (1 + ln min(n, 63))). If all fields have the
/// weight 1, that is 16 w(n).
class FeatureCounter {
 public:
  /// The features in the order of their first occurrence, valid until the next call. `ranges` must
  /// cover all tokens.
  std::span<const Feature> Count(std::span<const uint64_t> tokens,
                                 std::span<const TokenRange> ranges);
  /// The distinct hashes in the order of their first occurrence, valid until the next call.
  std::span<const uint64_t> Distinct(std::span<const uint64_t> hashes);

 private:
  void Clear(size_t tokens_max);
  /// Counts one occurrence. Feature::weight holds the sum of weight16 until counting is done.
  void Add(uint64_t token, uint32_t weight16);

  std::vector<Feature> features_;
  std::vector<uint32_t> counts_;
  std::vector<uint64_t> distinct_;
  /// Hash table with open addressing: index of the feature or hash + 1; 0: free. The first
  /// slot_mask_ + 1 slots, a power of two, are in use.
  std::vector<uint32_t> slots_;
  uint64_t slot_mask_ = 0;
};

/// Appends the hashes of all pairs of adjacent tokens of one text, of which Fingerprint::order is
/// made. FORMAT: a pair a, b is Mix64(Mix64(a) + b); a text of one token gives Mix64(Mix64(a)).
void AppendPairs(std::span<const uint64_t> tokens, std::vector<uint64_t>& pairs);

/// Appends the hashes of all triples of adjacent tokens of one text, of which the text keys are
/// made. `pairs`: what AppendPairs appends for the text. FORMAT: a triple a, b, c is
/// Mix64(Mix64(Mix64(a) + b) + c), where Mix64(Mix64(a) + b) is the pair a, b; a text of one or two
/// tokens gives Mix64 of the hash of its pair.
void AppendTriples(std::span<const uint64_t> tokens, std::span<const uint64_t> pairs,
                   std::vector<uint64_t>& triples);

}  // namespace neardup
