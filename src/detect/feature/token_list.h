// The tokens of texts: their bytes and their hashes.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "detect/feature/character.h"

namespace neardup {

/// FORMAT: whether a row of ASCII letters and digits keeps its case: it has a digit, a lower-case
/// letter, and an upper-case letter that is not its first character. Identifiers look so: aB3x.
bool KeepsCase(std::string_view word);

/// The tokens of one or more texts. Tokens are appended character by character:
///     tokens.Reserve(3);
///     tokens.PutCodePoint('o');
///     tokens.PutCodePoint('k');
///     tokens.EndToken();
/// or in rows (PutAscii, PutSingles). Keeps the memory of the longest text it has held.
/// FORMAT: the text is the tokens, each followed by a space, which never stands in a token; the
/// hash of a token is Hash64 of its bytes with `hash_seed`.
class TokenList {
 public:
  /// nullopt: no hashes are computed, and hashes() must not be called.
  explicit TokenList(std::optional<uint64_t> hash_seed = 0) : hash_seed_(hash_seed) {}

  void Clear() { Truncate(0, 0); }
  /// Bytes of text so far. size() and token_count() are the arguments to come back here with
  /// Truncate.
  size_t size() const { return size_; }
  size_t token_count() const { return hashed_ + pending_; }
  std::string_view TextFrom(size_t begin) const { return {bytes_.data() + begin, size_ - begin}; }
  /// Valid until the next call that is not const.
  std::span<const uint64_t> hashes() {
    assert(hash_seed_);
    HashPending();
    return {hashes_.data(), hashed_};
  }

  /// The place to come back to must not be inside a token.
  void Truncate(size_t size, size_t token_count);

  /// Makes room for `bytes` more bytes. All that append do not check for room: the caller must
  /// reserve it.
  void Reserve(size_t bytes) {
    if (bytes_.size() < size_ + bytes + kSlack) bytes_.resize((size_ + bytes) * 2 + kSlack);
  }
  void PutBytes(std::string_view bytes);
  void PutCodePoint(uint32_t code_point) { size_ += EncodeUtf8(code_point, &bytes_[size_]); }
  bool in_token() const { return size_ != token_begin_; }
  /// The bytes of the token that has not ended.
  std::string_view token() const { return TextFrom(token_begin_); }
  /// Takes the bytes of that token back.
  void DropToken() { size_ = token_begin_; }
  /// Needs room for one byte.
  void EndToken() {
    if (!in_token()) return;
    if (pending_ == kPendingMax) HashPending();
    ends_[pending_++] = size_;
    bytes_[size_++] = ' ';
    token_begin_ = size_;
  }

  /// Appends the ASCII characters at the beginning of `text`. Letters, in lower case, and digits
  /// continue a token; all others end it. Returns how many there are, but stops early where the
  /// caller must look at what it knows of ASCII alone: at a character that is
  /// CharacterClass::kSingle; at one that is kSign, unless its neighbours in `text` make it a
  /// separator (IsSignContent); and at letters and digits that may keep their case (KeepsCase). In
  /// the latter case it stops where these begin, or inside if it has appended the first of them.
  /// Needs as much room.
  size_t PutAscii(std::string_view text);
  /// Appends, as a token each, the characters of `range` at the beginning of `text`, which is
  /// valid UTF-8. They have three bytes and fold to themselves. Returns their number of bytes. Must
  /// not be called in a token. Needs room for a third more bytes.
  size_t PutSingles(std::string_view text, const CodePoints& range);

 private:
  /// Whole registers are stored and loaded at the end of the text.
  static constexpr size_t kSlack = 64;
  /// Tokens are hashed together. If all tokens of a text fit into one batch, they are hashed
  /// only when somebody asks for the hashes; nobody does so for a text that is already known. A
  /// batch is small enough for its text to be still in the processor's cache.
  static constexpr size_t kPendingMax = 512;

  size_t PutAsciiPortable(std::string_view text);
  size_t PutAsciiAvx2(std::string_view text);
  size_t PutAsciiAvx512(std::string_view text);
  size_t PutSinglesPortable(std::string_view text, const CodePoints& range);
  size_t PutSinglesAvx2(std::string_view text, const CodePoints& range);
  size_t PutSinglesAvx512(std::string_view text, const CodePoints& range);
  void HashPending();

  std::optional<uint64_t> hash_seed_;
  std::vector<char> bytes_;
  size_t size_ = 0;
  size_t token_begin_ = 0;
  /// The first hashed_ are hashes of tokens.
  std::vector<uint64_t> hashes_;
  size_t hashed_ = 0;
  size_t pending_begin_ = 0;         ///< where the first token without a hash begins
  uint64_t ends_[kPendingMax] = {};  ///< where the tokens without a hash end
  size_t pending_ = 0;               ///< how many those are
};

/// The first tokens of such a text, at most `count_max`. They borrow from it.
std::vector<std::string_view> TokensOf(std::string_view text, size_t count_max = SIZE_MAX);

}  // namespace neardup
