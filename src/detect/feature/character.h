// Characters: classes of ASCII bytes, UTF-8, and how a tokeniser classifies and folds characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

// These functions do not depend on the locale. They return false for bytes of non-ASCII characters.
constexpr bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsAsciiHex(char c) {
  return IsAsciiDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// The code point of the character at `bytes`, which must be whole and valid UTF-8. Moves `bytes`
/// after it.
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

/// Writes the character in UTF-8 to `out` and returns its number of bytes, 1 to 4.
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

// FORMAT of folding: NFKC with case folding, without default-ignorable characters, in the Unicode
// version of utf8proc. Then the marks that Arabic and Hebrew may leave out are dropped, with the
// stretch of Arabic letters (U+0640): the Mn of U+0591 to U+05C7, U+064B to U+065F, U+0670 and
// U+06D6 to U+06ED. U+2212, the minus of mathematics, becomes '-'.

/// What a folded character is to a tokeniser.
enum class CharacterClass : uint8_t {
  kSeparator,  ///< none of those below
  kRun,        ///< part of a longer token: letters of scripts that write spaces, and all numbers
  /// A token by itself: Han, Kana, Hangul, Thai, Lao, Khmer and Myanmar letters; symbols, which are
  /// Sm but U+2044, Sc and So, '^', the five skin colours of emoji, and signs of per cent other
  /// than '%'.
  kSingle,
  kMark,  ///< a combining mark, which belongs to the token before it
  kSign,  ///< '-', '#' or '%': a token by itself if IsSignContent, else a separator
};

/// The class of a folded character.
CharacterClass ClassOf(uint32_t code_point);
/// Whether it is a decimal digit of any script.
bool IsDigit(uint32_t code_point);

/// What stands beside a sign in folded text, without what folds to nothing.
struct SignPlace {
  bool after_run = false;     ///< a token of kRun ends right before it
  bool after_hyphen = false;  ///< a '-' stands before it
  uint32_t next = 0;          ///< the character after it; 0: none
  uint32_t second = 0;        ///< the one after `next`; 0: none
};

/// Whether a sign says something about the word or number at its side: A-, C#, #tag, -5, 5%.
/// FORMAT: '%' unless it stands between two of kRun. '#' if kRun stands before it and not after it,
/// or if kRun or a script without spaces stands after it and kRun not before it. '-' after kRun if
/// neither kRun nor another '-' follows. '-' elsewhere if no '-' stands before it and a decimal
/// digit, a sign of currency, or a point with a decimal digit follows.
bool IsSignContent(uint32_t sign, const SignPlace& place);

/// Folds whole texts. Keeps scratch memory: one instance per thread.
class TextFolder {
 public:
  /// `text` must be valid UTF-8. The code points are valid until the next call.
  std::span<const int32_t> Fold(std::string_view text);
  /// Only NFC, without default-ignorable characters, control characters and white space.
  std::span<const int32_t> Compose(std::string_view text);

 private:
  std::vector<int32_t> buffer_;
};

/// A row of code points, both ends included.
struct CodePoints {
  uint32_t first = 0;
  uint32_t last = 0;
};

/// How single characters fold if their neighbours do not matter. A table of the first 65,536 code
/// points, made at first use. Immutable: any number of threads may share it. Faster than
/// TextFolder.
class FoldTable {
 public:
  enum class Kind : uint8_t {
    kSeparator,
    kRun,         ///< folds to one character of CharacterClass::kRun
    kSingle,      ///< folds to one character of CharacterClass::kSingle
    kSign,        ///< folds to one character of CharacterClass::kSign
    kIgnored,     ///< folds to nothing
    kExpansion,   ///< folds to several characters, none of them of CharacterClass::kSign
    kContextual,  ///< its neighbours matter: fold the whole text with TextFolder
  };
  struct Fold {
    Kind kind;
    uint32_t value;  ///< the folded code point; for kExpansion, the argument of expansion()
  };

  static const FoldTable& Get();

  Fold Find(uint32_t code_point) const {
    if (code_point >= kSize) return FindBeyond(code_point);
    const uint32_t entry = entries_[code_point];
    return {static_cast<Kind>(entry >> 24), entry & 0xFFFFFF};
  }
  std::span<const int32_t> expansion(uint32_t number) const { return expansions_[number]; }
  /// The Han characters from U+4E00 on, all of which are kSingle and fold to themselves. Nearly all
  /// of a Chinese text.
  const CodePoints& han() const { return han_; }

 private:
  static constexpr uint32_t kSize = 0x10000;

  FoldTable();
  static Fold FindBeyond(uint32_t code_point);
  uint32_t MakeEntry(std::span<const int32_t> folded);

  std::vector<uint32_t> entries_;
  std::vector<std::vector<int32_t>> expansions_;
  CodePoints han_;
};

/// Version of the Unicode data, such as "14.0.0". Part of the FingerprintSpec.
std::string UnicodeVersion();

}  // namespace neardup
