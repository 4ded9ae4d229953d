// What a byte of ASCII is. False for all bytes of other characters, and no matter what locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

constexpr bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAsciiHex(char c) {
  return IsAsciiDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// UTF-8 one character at a time, for text already known to be valid.

/// The code point at `bytes`, which must begin a whole valid character; moves past it.
inline uint32_t DecodeUtf8(const char*& bytes) {
  const auto byte = [&bytes](int i) { return uint32_t{static_cast<unsigned char>(bytes[i])}; };
  const uint32_t lead = byte(0);
  if (lead < 0x80) {
    bytes += 1;
    return lead;
  }
  if (lead < 0xE0) {
    const uint32_t code_point = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    bytes += 2;
    return code_point;
  }
  if (lead < 0xF0) {
    const uint32_t code_point = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    bytes += 3;
    return code_point;
  }
  const uint32_t code_point =
      (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  bytes += 4;
  return code_point;
}

/// Writes 1 to 4 bytes and returns how many.
inline size_t EncodeUtf8(uint32_t code_point, char* out) {
  const auto tail = [code_point](int shift) {
    return static_cast<char>(0x80 | (code_point >> shift & 0x3F));
  };
  if (code_point < 0x80) {
    out[0] = static_cast<char>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<char>(0xC0 | code_point >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<char>(0xE0 | code_point >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | code_point >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

// What a character is to a tokeniser, and what it folds to. FORMAT: NFKC with case folding and
// without default-ignorable characters, of the Unicode version utf8proc carries.

enum class CharacterClass : uint8_t {
  kSeparator,  ///< no letter, mark or number
  kRun,        ///< goes on a token: letters of scripts that write spaces, and all numbers
  kSingle,     ///< a token by itself: Han, Kana, Hangul, Thai, Lao, Khmer, Myanmar letters
  kMark,       ///< belongs to the token before it
};

/// Of a character that is already folded.
CharacterClass ClassOf(uint32_t code_point);
/// A decimal digit of any script.
bool IsDigit(uint32_t code_point);

/// Folds whole texts with utf8proc. Keeps scratch memory: one instance per thread.
class TextFolder {
 public:
  /// `text` must be valid UTF-8. The code points are valid until the next call.
  std::span<const int32_t> Fold(std::string_view text);

 private:
  std::vector<int32_t> buffer_;
};

/// How single characters fold when their neighbours do not matter: a table of the first 65,536 code
/// points, made once. Immutable.
class FoldTable {
 public:
  enum class Kind : uint8_t {
    kSeparator,
    kRun,         ///< folds to one character of that class
    kSingle,      ///< likewise
    kIgnored,     ///< folds to nothing
    kExpansion,   ///< folds to several characters
    kContextual,  ///< may change together with its neighbours: the whole text needs TextFolder
  };
  struct Fold {
    Kind kind;
    uint32_t value;  ///< the folded code point, or the number of the expansion
  };

  static const FoldTable& Get();

  Fold Find(uint32_t code_point) const {
    if (code_point >= kSize) return FindBeyond(code_point);
    const uint32_t entry = entries_[code_point];
    return {static_cast<Kind>(entry >> 24), entry & 0xFFFFFF};
  }
  std::span<const int32_t> expansion(uint32_t number) const { return expansions_[number]; }

 private:
  static constexpr uint32_t kSize = 0x10000;

  FoldTable();
  static Fold FindBeyond(uint32_t code_point);
  uint32_t MakeEntry(std::span<const int32_t> folded);

  std::vector<uint32_t> entries_;
  std::vector<std::vector<int32_t>> expansions_;
};

/// Version of the Unicode data, such as "14.0.0". Part of what gives a fingerprint its meaning.
std::string UnicodeVersion();

}  // namespace neardup
