// What a character is to a tokeniser, and what it folds to. FORMAT: NFKC with case folding and
// without default-ignorable characters, of the Unicode version utf8proc carries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

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
