#include "detect/fingerprint/number_set.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "detect/base/hash.h"
#include "detect/base/simd.h"
#include "detect/feature/character.h"
#include "detect/feature/quote.h"

namespace neardup {
namespace {

constexpr int kCharactersMax = 12;
constexpr int kUnitCharactersMax = 3;
constexpr size_t kCodeBytesMax = 10;
constexpr size_t kBlockBytes = 64;

// The first bytes of U+0640 to U+187F.
constexpr uint8_t kLeadFirst = 0xD9;
constexpr uint8_t kLeadLast = 0xE1;

/// Whether a number may begin with this byte. True for more: of ASCII, for +,-./:;<=> and digits.
constexpr bool MayBegin(char c) {
  const auto byte = static_cast<uint8_t>(c);
  const bool ascii = static_cast<uint8_t>(byte - '+') <= kQuoteMark - '+';
  const bool other = static_cast<uint8_t>(byte - kLeadFirst) <= kLeadLast - kLeadFirst;
  return ascii | other;
}

/// For each of kBlockBytes bytes of a text, 1 if a token begins there that may be a number, or a
/// digit follows a letter of ASCII there. Reads one byte before. Written so that compilers use
/// whole registers: without branches and with a fixed size.
inline __attribute__((always_inline)) bool MarkPlaces(const char* text,
                                                      uint8_t* __restrict places) {
  uint8_t any = 0;
  for (size_t i = 0; i < kBlockBytes; ++i) {
    const bool begins = MayBegin(text[i]) & (text[i - 1] == ' ');
    const bool in_code = (static_cast<uint8_t>(text[i] - '0') <= 9) &
                         (static_cast<uint8_t>(text[i - 1] - 'a') <= 'z' - 'a');
    places[i] = static_cast<uint8_t>(uint8_t{begins} | uint8_t{in_code});
    any |= places[i];
  }
  return any != 0;
}

bool MarkPlacesPortable(const char* text, uint8_t* places) { return MarkPlaces(text, places); }
#if NEARDUP_WIDE
NEARDUP_AVX2_FUNCTION bool MarkPlacesAvx2(const char* text, uint8_t* places) {
  return MarkPlaces(text, places);
}
NEARDUP_AVX512_FUNCTION bool MarkPlacesAvx512(const char* text, uint8_t* places) {
  return MarkPlaces(text, places);
}
#endif

auto* MarkPlacesOfThisProcessor() {
#if NEARDUP_WIDE
  if (UsesAvx512()) return MarkPlacesAvx512;
  if (UsesAvx2()) return MarkPlacesAvx2;
#endif
  return MarkPlacesPortable;
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

/// Where the token that holds the byte at `place` begins; npos if more than kCodeBytesMax bytes of
/// it stand in front of the byte.
size_t TokenBegin(std::string_view text, size_t place) {
  for (size_t at = place; place - at <= kCodeBytesMax; --at) {
    if (at == 0 || text[at - 1] == ' ') return at;
  }
  return std::string_view::npos;
}

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

bool IsCode(std::string_view token) {
  if (token.size() > kCodeBytesMax) return false;
  const auto digits = std::count_if(token.begin(), token.end(), IsAsciiDigit);
  if (digits < 2 && token.size() > 2) return false;
  const auto take = [&token](bool (*is_one)(char)) {
    const size_t size = token.size();
    while (!token.empty() && is_one(token.front())) token.remove_prefix(1);
    return token.size() < size;
  };
  if (!take(IsLetter) || !take(IsAsciiDigit)) return false;
  if (take(IsLetter)) take(IsAsciiDigit);
  return token.empty();
}

}  // namespace

bool IsNumber(std::string_view token) {
  if (!token.empty() && IsLetter(token[0])) return IsCode(token);
  if (token.starts_with(kQuoteMark)) return token.size() > 1;
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
  const auto add = [&](size_t place) {
    const size_t at = TokenBegin(token_text, place);
    if (at == std::string_view::npos) return;
    size_t end = place;
    while (IsAsciiDigit(token_text[end])) ++end;
    // Most are nothing but digits.
    const bool digits =
        at == place && token_text[end] == ' ' && end != at && end - at <= kCharactersMax;
    if (!digits) end = token_text.find(' ', end);
    const std::string_view token = token_text.substr(at, end - at);
    if (digits || IsNumber(token)) set |= BitsOf(token);
  };
  if (!token_text.empty()) add(0);
  auto* const mark_places = MarkPlacesOfThisProcessor();
  for (size_t at = 1; at < token_text.size(); at += kBlockBytes) {
    const char* text = token_text.data() + at - 1;
    char last[1 + kBlockBytes];
    if (token_text.size() - at < kBlockBytes) {
      std::memset(last, 0, sizeof last);
      std::memcpy(last, text, token_text.size() - at + 1);
      text = last;
    }
    uint8_t places[kBlockBytes];
    if (!mark_places(text + 1, places)) continue;
    for (size_t word = 0; word < kBlockBytes; word += sizeof(uint64_t)) {
      uint64_t marked;
      std::memcpy(&marked, places + word, sizeof marked);
      for (; marked != 0; marked &= marked - 1) {
        add(at + word + static_cast<size_t>(std::countr_zero(marked)) / 8);
      }
    }
  }
  return set;
}

}  // namespace neardup
