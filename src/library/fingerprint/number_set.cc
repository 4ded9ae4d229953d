#include "fingerprint/number_set.h"

#include <algorithm>
#include <cstddef>

#include "base/hash.h"
#include "feature/character.h"

namespace neardup {
namespace {

constexpr int kCharactersMax = 12;
constexpr int kUnitCharactersMax = 3;
/// Most blocks of this size hold no number, and are passed over as a whole.
constexpr size_t kBlockBytes = 64;

// The first bytes of U+0640 to U+187F.
constexpr unsigned char kLeadFirst = 0xD9;
constexpr unsigned char kLeadLast = 0xE1;

/// Whether a number may begin with this byte. True for more: of ASCII, for +,-./ and digits.
constexpr bool MayBegin(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return static_cast<unsigned char>(byte - '+') <= '9' - '+' ||
         static_cast<unsigned char>(byte - kLeadFirst) <= kLeadLast - kLeadFirst;
}

bool MayHoldNumber(std::string_view block) {
  bool may = false;
  for (const char c : block) may |= MayBegin(c);  // no early end, so that it is done in registers
  return may;
}

uint64_t BitsOf(std::string_view number) {
  const uint64_t hash = Hash64(number);
  return uint64_t{1} << hash % 64 | uint64_t{1} << (hash + 1 + hash / 64 % 63) % 64;
}

/// The characters of a token, one by one.
class Characters {
 public:
  explicit Characters(std::string_view token)
      : at_(token.data()), end_(token.data() + token.size()) {
    Take();
  }
  /// 0 at the end.
  uint32_t next() const { return next_; }
  void Take() {
    next_ = 0;
    if (at_ == end_) return;
    next_ = DecodeUtf8(at_);
    ++count_;
  }
  int count() const { return count_; }
  bool AtDigit() const { return IsDigitOfNumber(next_); }
  /// Returns whether there was a digit.
  bool TakeDigits() {
    const bool found = AtDigit();
    while (AtDigit()) Take();
    return found;
  }

 private:
  static bool IsDigitOfNumber(uint32_t c) {
    if (c < 0x80) return IsAsciiDigit(static_cast<char>(c));
    return c >= 0x640 && c < 0x1880 && IsDigit(c);
  }

  const char* at_;
  const char* end_;
  uint32_t next_ = 0;
  int count_ = 0;
};

}  // namespace

bool IsNumber(std::string_view token) {
  // The longest character has 4 bytes.
  if (token.empty() || token.size() > 4 * kCharactersMax || !MayBegin(token[0])) return false;
  Characters characters(token);
  if (characters.next() == '+' || characters.next() == '-') characters.Take();
  if (!characters.TakeDigits()) return false;
  if (characters.next() == '.') {
    characters.Take();
    if (!characters.TakeDigits()) return false;
  }
  for (int unit = 0; characters.next() != 0; ++unit) {
    if (unit == kUnitCharactersMax || characters.AtDigit() || characters.next() == '.') {
      return false;
    }
    characters.Take();
  }
  return characters.count() <= kCharactersMax;
}

uint64_t NumberSet(std::string_view token_text) {
  uint64_t set = 0;
  for (size_t begin = 0; begin < token_text.size(); begin += kBlockBytes) {
    if (!MayHoldNumber(token_text.substr(begin, kBlockBytes))) continue;
    const size_t end = std::min(begin + kBlockBytes, token_text.size());
    for (size_t at = begin; at < end; ++at) {
      if (!MayBegin(token_text[at]) || (at > 0 && token_text[at - 1] != ' ')) continue;
      const std::string_view token = token_text.substr(at, token_text.find(' ', at) - at);
      if (IsNumber(token)) set |= BitsOf(token);
    }
  }
  return set;
}

}  // namespace neardup
