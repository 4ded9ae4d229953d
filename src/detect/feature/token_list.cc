#include "detect/feature/token_list.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "detect/base/simd.h"
#include "detect/base/word_hashes.h"

namespace neardup {
namespace {

constexpr size_t kRowBytes = 64;

/// The lowest `count` bits, 0 to 64.
constexpr uint64_t LowBits(size_t count) {
  return count >= kRowBytes ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

/// What is known of a row of ASCII. Bit i stands for byte i.
struct RowBits {
  uint64_t run = 0;  ///< letters and digits
  uint64_t digits = 0;
  uint64_t upper = 0;    ///< upper-case letters
  uint64_t symbols = 0;  ///< CharacterClass::kSingle
  uint64_t hyphens = 0;
  uint64_t others = 0;  ///< the other characters of CharacterClass::kSign
  uint64_t leads = 0;   ///< what a number may begin with
};

// A byte has one of these bits, and kLead maybe as well.
constexpr uint8_t kSymbol = 1;
constexpr uint8_t kHyphen = 2;
constexpr uint8_t kOther = 4;
constexpr uint8_t kLead = 8;

constexpr std::array<uint8_t, 128> kSigns = [] {
  std::array<uint8_t, 128> signs{};
  for (const char symbol : std::string_view("$+<=>^|~"))
    signs[static_cast<size_t>(symbol)] = kSymbol;
  for (const char other : std::string_view("#%")) signs[static_cast<size_t>(other)] = kOther;
  for (const char lead : std::string_view("$.0123456789"))
    signs[static_cast<size_t>(lead)] |= kLead;
  signs['-'] = kHyphen;
  return signs;
}();

/// Finds where a row of ASCII has to stop, as PutAscii says. Rows that contain no such place, which
/// are most, cost a few operations. Words may go on from row to row.
class RowStops {
 public:
  /// The first such byte; kRowBytes if there is none. `in_token`: a token goes on into this row.
  size_t Find(const RowBits& bits, uint64_t used, bool in_token) {
    const uint64_t after_run = bits.run << 1 | uint64_t{in_token};
    const uint64_t inner_upper = bits.upper & after_run;
    uint64_t stops = 0;
    if ((bits.symbols | bits.hyphens | bits.others) != 0) stops = Signs(bits, used, after_run);
    if (upper_ || (inner_upper | bits.digits) != 0) {
      stops |= Words(bits, used, inner_upper, in_token);
    }
    return static_cast<size_t>(std::countr_zero(stops));
  }

 private:
  static uint64_t Signs(const RowBits& bits, uint64_t used, uint64_t after_run) {
    const uint64_t before_run = bits.run >> 1;
    const uint64_t last = used ^ used >> 1;  // what follows is unknown
    const uint64_t hyphens = bits.hyphens & ~(bits.hyphens << 1) & ~(bits.hyphens >> 1);
    return bits.symbols | (bits.others & ~(after_run & before_run)) |
           (hyphens & ((after_run & ~before_run) | (~after_run & bits.leads >> 1) | last));
  }

  uint64_t Words(const RowBits& bits, uint64_t used, uint64_t inner_upper, bool in_token) {
    if (in_token && bits.run % 2 != 0) {
      const uint64_t head = LowBits(static_cast<size_t>(std::countr_one(bits.run)));
      const uint64_t head_digits = head & bits.digits;
      const uint64_t head_upper = head & inner_upper;
      if ((head_digits | head_upper) != 0 && (head_digits != 0 || digit_) &&
          (head_upper != 0 || upper_)) {
        return 1;
      }
    }
    const uint64_t separators = ~bits.run & used;
    // The bits of two sets are compared as numbers: the larger one has the highest bit of both.
    digit_ = bits.digits > separators || (separators == 0 && digit_);
    upper_ = inner_upper > separators || (separators == 0 && upper_);
    return inner_upper != 0 && bits.digits != 0 ? Identifiers(bits, inner_upper) : 0;
  }

  /// The first bytes of the runs with a digit, an inner upper-case letter and maybe a lower-case
  /// one.
  static uint64_t Identifiers(const RowBits& bits, uint64_t inner_upper) {
    uint64_t found = 0;
    const uint64_t lower = bits.run & ~bits.digits & ~bits.upper;
    while (inner_upper != 0) {
      const auto upper = static_cast<size_t>(std::countr_zero(inner_upper));
      const auto begin = static_cast<size_t>(std::bit_width(~bits.run & LowBits(upper)));
      const size_t end = begin + static_cast<size_t>(std::countr_one(bits.run >> begin));
      const uint64_t run = LowBits(end) & ~LowBits(begin);
      const bool goes_on = end == kRowBytes;
      if ((bits.digits & run) != 0 && (goes_on || (lower & run) != 0))
        found |= uint64_t{1} << begin;
      inner_upper &= ~run;
    }
    return found;
  }

  // Of the token that goes on into the next row. If one is false, the token has no such character.
  bool digit_ = true;  ///< has a digit
  bool upper_ = true;  ///< has an upper-case letter that is not its first character
};

/// Up to 64 bytes of text, classified and folded eight at a time. Each constant and each sum stays
/// within its byte, because the top bits are cleared before.
class AsciiRow {
 public:
  explicit AsciiRow(std::string_view text) {
    uint64_t beyond_ascii = 0;
    uint64_t blank = 0;
    for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
      uint64_t bytes = 0;
      if (text.size() - at >= sizeof bytes) {
        std::memcpy(&bytes, &text[at], sizeof bytes);
      } else {
        std::memcpy(&bytes, &text[at], text.size() - at);
      }
      if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
      const uint64_t low = bytes & ~kTopBits;
      const uint64_t lower = low | Each(0x20);
      const uint64_t letters = AtLeast(lower, 'a') & ~AtLeast(lower, 'z' + 1) & ~bytes & kTopBits;
      const uint64_t digits = AtLeast(low, '0') & ~AtLeast(low, '9' + 1) & ~bytes & kTopBits;
      const uint64_t upper = letters & ~(bytes << 2);
      const uint64_t spaces = ~AtLeast(low ^ Each(' '), 1) & kTopBits;
      bits_.run |= Gather(letters | digits) << at;
      bits_.digits |= Gather(digits) << at;
      bits_.upper |= Gather(upper) << at;
      blank |= Gather(spaces) << at;
      beyond_ascii |= Gather(bytes & kTopBits) << at;
      uint64_t folded = bytes | letters >> 2;
      if constexpr (std::endian::native == std::endian::big) folded = __builtin_bswap64(folded);
      std::memcpy(folded_ + at, &folded, sizeof folded);
      if (beyond_ascii != 0) break;
    }
    size_ = std::min(text.size(), static_cast<size_t>(std::countr_zero(beyond_ascii)));
    bits_.run &= LowBits(size_);
    bits_.digits &= LowBits(size_);
    bits_.upper &= LowBits(size_);
    bits_.leads = bits_.digits;
    for (uint64_t rest = ~bits_.run & ~blank & LowBits(size_); rest != 0; rest &= rest - 1) {
      const uint64_t bit = rest & -rest;
      const uint8_t sign = kSigns[static_cast<size_t>(text[std::countr_zero(rest)])];
      bits_.symbols |= (sign & kSymbol) != 0 ? bit : 0;
      bits_.hyphens |= (sign & kHyphen) != 0 ? bit : 0;
      bits_.others |= (sign & kOther) != 0 ? bit : 0;
      bits_.leads |= (sign & kLead) != 0 ? bit : 0;
    }
  }

  /// Bytes before the first one that is no ASCII.
  size_t size() const { return size_; }
  const RowBits& bits() const { return bits_; }
  /// The bytes, with letters in lower case. kCopied bytes can be read from each of them.
  const char* folded() const { return folded_; }

  /// Words up to this size are copied without asking for their size.
  static constexpr size_t kCopied = 16;

 private:
  static constexpr uint64_t Each(uint64_t byte) { return byte * 0x0101010101010101; }
  static constexpr uint64_t kTopBits = 0x8080808080808080;
  /// Sets the top bit of each byte that is at least `bound`. All bytes must be below 0x80.
  static constexpr uint64_t AtLeast(uint64_t bytes, uint64_t bound) {
    return bytes + Each(0x80 - bound);
  }
  /// The top bits of the eight bytes side by side: the factor moves each to a place of its own.
  static constexpr uint64_t Gather(uint64_t top_bits) {
    return (top_bits >> 7) * 0x0102040810204080 >> 56;
  }

  size_t size_ = 0;
  RowBits bits_;
  char folded_[kRowBytes + kCopied];
};

}  // namespace

bool KeepsCase(std::string_view word) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return std::any_of(word.begin(), word.end(), IsAsciiDigit) &&
         std::any_of(word.begin(), word.end(), is_lower) &&
         std::any_of(word.begin() + 1, word.end(), is_upper);
}

void TokenList::Truncate(size_t size, size_t token_count) {
  if (token_count >= hashed_) {
    pending_ = token_count - hashed_;
  } else {
    hashed_ = token_count;
    pending_ = 0;
    pending_begin_ = size;
  }
  size_ = size;
  token_begin_ = size;
}

void TokenList::PutBytes(std::string_view bytes) {
  if (bytes.empty()) return;
  std::memcpy(&bytes_[size_], bytes.data(), bytes.size());
  size_ += bytes.size();
}

void TokenList::HashPending() {
  if (pending_ == 0) return;
  if (hash_seed_) {
    if (hashes_.size() < hashed_ + pending_) {
      hashes_.resize(std::max(2 * hashes_.size(), hashed_ + pending_));
    }
    static_assert(kSlack >= kBytesReadBeyondWord);
    HashWords(bytes_.data(), pending_begin_, {ends_, pending_}, *hash_seed_,
              hashes_.data() + hashed_);
  }
  pending_begin_ = ends_[pending_ - 1] + 1;
  hashed_ += pending_;
  pending_ = 0;
}

size_t TokenList::PutAscii(std::string_view text) {
#if NEARDUP_WIDE
  if (UsesAvx512()) return PutAsciiAvx512(text);
  if (UsesAvx2()) return PutAsciiAvx2(text);
#endif
  return PutAsciiPortable(text);
}

/// Copies the runs of letters and digits one by one.
size_t TokenList::PutAsciiPortable(std::string_view text) {
  RowStops stops;
  size_t at = 0;
  bool goes_on = true;
  while (goes_on && at < text.size()) {
    const std::string_view rest = text.substr(at, kRowBytes);
    const AsciiRow row(rest);
    const size_t size =
        std::min(row.size(), stops.Find(row.bits(), LowBits(row.size()), in_token()));
    const uint64_t run = row.bits().run & LowBits(size);
    if (in_token() && (run & 1) == 0 && size > 0) EndToken();
    // Bit i: byte i begins a run.
    for (uint64_t begins = run & ~(run << 1); begins != 0; begins &= begins - 1) {
      const auto begin = static_cast<size_t>(std::countr_zero(begins));
      const auto run_size = static_cast<size_t>(std::countr_one(run >> begin));
      std::memcpy(&bytes_[size_], row.folded() + begin, AsciiRow::kCopied);
      if (run_size > AsciiRow::kCopied) {
        std::memcpy(&bytes_[size_], row.folded() + begin, run_size);
      }
      size_ += run_size;
      if (begin + run_size < size) EndToken();
    }
    goes_on = size == rest.size();
    at += size;
  }
  return at;
}

size_t TokenList::PutSingles(std::string_view text, const CodePoints& range) {
  assert(!in_token());
#if NEARDUP_WIDE
  if (UsesAvx512()) return PutSinglesAvx512(text, range);
  if (UsesAvx2()) return PutSinglesAvx2(text, range);
#endif
  return PutSinglesPortable(text, range);
}

size_t TokenList::PutSinglesPortable(std::string_view text, const CodePoints& range) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const char* next = at;
    const uint32_t code_point = DecodeUtf8(next);
    if (code_point < range.first || code_point > range.last) break;
    std::memcpy(&bytes_[size_], at, 3);
    size_ += 3;
    EndToken();
    at = next;
  }
  return static_cast<size_t>(at - text.data());
}

#if NEARDUP_WIDE

namespace {

constexpr size_t kRowSingles = 16;

constexpr std::array<uint8_t, kRowBytes> kByteNumbers = [] {
  std::array<uint8_t, kRowBytes> numbers{};
  for (size_t i = 0; i < kRowBytes; ++i) numbers[i] = static_cast<uint8_t>(i);
  return numbers;
}();

/// Spreads characters of three bytes to words of four. A word of kAsNumber is the bytes with the
/// first one highest; a word of kAsBytes has them in their order. The fourth byte is byte 63.
constexpr auto kSpread = [](bool as_number) {
  std::array<uint8_t, kRowBytes> bytes{};
  for (size_t i = 0; i < kRowSingles; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      bytes[4 * i + k] = static_cast<uint8_t>(3 * i + (as_number ? 2 - k : k));
    }
    bytes[4 * i + 3] = kRowBytes - 1;
  }
  return bytes;
};
constexpr std::array<uint8_t, kRowBytes> kAsNumber = kSpread(true);
constexpr std::array<uint8_t, kRowBytes> kAsBytes = kSpread(false);

/// The three bytes of a character in UTF-8, with the first one highest.
constexpr uint32_t Utf8Number(uint32_t code_point) {
  return 0xE08080 | (code_point & 0xF000) << 4 | (code_point & 0x0FC0) << 2 | (code_point & 0x3F);
}

/// 32 bytes of text.
struct AsciiHalf {
  __m256i folded;  ///< letters in lower case, and spaces for all that is no letter or digit
  __m256i signs;   ///< kNarrowSymbols and the other bits of signs
  // Bit i stands for byte i:
  uint32_t run;  ///< letters and digits
  uint32_t digits;
  uint32_t upper;  ///< upper-case letters
  uint32_t beyond_ascii;
};

// The bits of kSigns, but that symbols have four bits: one for each row of the table of ASCII that
// they stand in. Digits have no bit.
constexpr char kNarrowSymbols = static_cast<char>(0xD1);
constexpr char kNarrowSigns = static_cast<char>(0xD7);

/// Each byte that is `first` or one of the `count` - 1 bytes after it. AVX2 compares only bytes
/// with a sign, so `first` is moved to the smallest of them.
NEARDUP_AVX2_FUNCTION inline __m256i Among(__m256i bytes, char first, int count) {
  const __m256i moved = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(first + 0x80)));
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(count - 0x80)), moved);
}

/// The highest bits of the bytes.
NEARDUP_AVX2_FUNCTION inline uint32_t Bits(__m256i bytes) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
}

NEARDUP_AVX2_FUNCTION inline AsciiHalf FoldAscii(const char* text) {
  const __m256i bytes = Load256(text);
  const __m256i case_bit = _mm256_set1_epi8(0x20);
  const __m256i letters = Among(_mm256_or_si256(bytes, case_bit), 'a', 26);
  const __m256i digits = Among(bytes, '0', 10);
  const __m256i run = _mm256_or_si256(letters, digits);
  const __m256i lower = _mm256_or_si256(bytes, _mm256_and_si256(letters, case_bit));
  // A sign is told by the halves of its byte: low ones first, then high ones.
  const __m256i by_low = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 4, 9, 4, 0, 0, 0, 0, 0,
                                                                   1, static_cast<char>(0x90), 0x12,
                                                                   static_cast<char>(0xD8), 0));
  const __m256i by_high = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 0, 0x0F, 0x10, 0, 0x40, 0, static_cast<char>(0x80), 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i half = _mm256_set1_epi8(0x0F);
  const __m256i signs = _mm256_and_si256(
      _mm256_shuffle_epi8(by_low, _mm256_and_si256(bytes, half)),
      _mm256_shuffle_epi8(by_high, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
  return {_mm256_blendv_epi8(_mm256_set1_epi8(' '), lower, run),
          signs,
          Bits(run),
          Bits(digits),
          Bits(Among(bytes, 'A', 26)),
          Bits(bytes)};
}

/// The bytes with one of `wanted`.
NEARDUP_AVX2_FUNCTION inline uint64_t Having(const AsciiHalf& low, const AsciiHalf& high,
                                             char wanted) {
  const __m256i bits = _mm256_set1_epi8(wanted);
  const __m256i none = _mm256_setzero_si256();
  const uint32_t not_low = Bits(_mm256_cmpeq_epi8(_mm256_and_si256(low.signs, bits), none));
  const uint32_t not_high = Bits(_mm256_cmpeq_epi8(_mm256_and_si256(high.signs, bits), none));
  return ~(uint64_t{not_high} << 32 | not_low);
}

/// Writes base + i for each bit i that is set, and up to seven more numbers. Most rows of text take
/// two rounds, which the processor foresees.
NEARDUP_AVX2_FUNCTION inline void PutEnds(uint64_t bits, size_t base, uint64_t* ends) {
  for (; bits != 0; ends += 8) {
    // Not unrolled: GCC would collect the numbers in vectors first, which takes longer.
#pragma GCC unroll 1
    for (size_t i = 0; i < 8; ++i) {
      ends[i] = base + _tzcnt_u64(bits);
      bits &= bits - 1;
    }
  }
}

/// Writes base + offset for each of the eight offsets.
NEARDUP_AVX512_FUNCTION inline void PutEnds(__m128i offsets, size_t base, uint64_t* ends) {
  _mm512_storeu_si512(ends, _mm512_add_epi64(_mm512_cvtepu8_epi64(offsets),
                                             _mm512_set1_epi64(static_cast<int64_t>(base))));
}

}  // namespace

// PutAscii classifies 64 bytes at a time and keeps the letters, the digits and the first separator
// after each run of them.

/// Most separators stand alone, so that few stretches of kept bytes make up a row.
NEARDUP_AVX2_FUNCTION size_t TokenList::PutAsciiAvx2(std::string_view text) {
  size_t at = 0;
  RowStops stops;
  bool goes_on = true;
  while (goes_on && at < text.size()) {
    // A row ends at most 32 tokens, and their ends are written eight at a time.
    if (pending_ + kRowBytes / 2 + 8 > kPendingMax) HashPending();
    size_t row = std::min(text.size() - at, kRowBytes);
    const char* bytes = text.data() + at;
    char last[kRowBytes];
    if (row < kRowBytes) {
      std::memset(last, 0, sizeof last);
      std::memcpy(last, bytes, row);
      bytes = last;
    }
    const AsciiHalf low = FoldAscii(bytes);
    const AsciiHalf high = FoldAscii(bytes + kRowBytes / 2);
    const uint64_t beyond_ascii = uint64_t{high.beyond_ascii} << 32 | low.beyond_ascii;
    if (beyond_ascii != 0) row = static_cast<size_t>(std::countr_zero(beyond_ascii));
    uint64_t used = LowBits(row);

    RowBits bits{.run = (uint64_t{high.run} << 32 | low.run) & used,
                 .digits = (uint64_t{high.digits} << 32 | low.digits) & used,
                 .upper = (uint64_t{high.upper} << 32 | low.upper) & used};
    if (_mm256_testz_si256(_mm256_or_si256(low.signs, high.signs),
                           _mm256_set1_epi8(kNarrowSigns)) == 0) {
      bits.symbols = Having(low, high, kNarrowSymbols) & used;
      bits.hyphens = Having(low, high, kHyphen) & used;
      bits.others = Having(low, high, kOther) & used;
      bits.leads = (Having(low, high, kLead) & used) | bits.digits;
    }
    const size_t stop = stops.Find(bits, used, in_token());
    if (stop < row) {
      row = stop;
      used = LowBits(row);
    }
    goes_on = row == kRowBytes;
    const uint64_t run = bits.run & used;
    const uint64_t ends = ~run & used & (run << 1 | uint64_t{in_token()});
    char folded[2 * kRowBytes];  // a whole row can be read from each byte of the first one
    Store256(folded, low.folded);
    Store256(folded + kRowBytes / 2, high.folded);
    uint64_t kept_ends = 0;
    size_t kept = 0;
    for (uint64_t rest = run | ends; rest != 0;) {
      const uint64_t next = rest & (rest + (rest & -rest));
      const uint64_t stretch = rest ^ next;
      const auto begin = static_cast<size_t>(std::countr_zero(stretch));
      char* const out = &bytes_[size_ + kept];
      Store256(out, Load256(folded + begin));
      Store256(out + kRowBytes / 2, Load256(folded + begin + kRowBytes / 2));
      kept_ends |= (ends & stretch) >> begin << kept;
      kept += static_cast<size_t>(std::popcount(stretch));
      rest = next;
    }

    if (kept_ends != 0) {
      PutEnds(kept_ends, size_, ends_ + pending_);
      pending_ += static_cast<size_t>(std::popcount(kept_ends));
      token_begin_ = size_ + static_cast<size_t>(std::bit_width(kept_ends));
    }
    size_ += kept;
    at += row;
  }
  return at;
}

NEARDUP_AVX2_FUNCTION size_t TokenList::PutSinglesAvx2(std::string_view text,
                                                       const CodePoints& range) {
  constexpr size_t kSingles = 8;
  constexpr size_t kSingleBytes = 3;
  constexpr size_t kRead = 28;  // two registers of 16 bytes, the second from the fifth character on
  const __m256i as_number = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1));
  const __m256i as_bytes = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
  const __m256i first = _mm256_set1_epi32(static_cast<int32_t>(Utf8Number(range.first)));
  const __m256i last = _mm256_set1_epi32(static_cast<int32_t>(Utf8Number(range.last)));
  const __m256i spaces = _mm256_set1_epi32(' ' << 24);
  size_t at = 0;
  size_t count = kSingles;
  while (count == kSingles && text.size() - at >= kRead) {
    if (pending_ + kSingles > kPendingMax) HashPending();
    const char* const from = text.data() + at;
    const __m256i bytes = _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(from + 12),
                                              reinterpret_cast<const __m128i*>(from));
    const __m256i characters = _mm256_shuffle_epi8(bytes, as_number);
    const __m256i outside = _mm256_or_si256(_mm256_cmpgt_epi32(first, characters),
                                            _mm256_cmpgt_epi32(characters, last));
    const int outside_bits = _mm256_movemask_ps(_mm256_castsi256_ps(outside));
    count = static_cast<size_t>(std::countr_zero(static_cast<uint32_t>(outside_bits) | 0x100));
    Store256(&bytes_[size_], _mm256_or_si256(_mm256_shuffle_epi8(bytes, as_bytes), spaces));
    const __m256i base = _mm256_set1_epi64x(static_cast<int64_t>(size_));
    Store256(ends_ + pending_, _mm256_add_epi64(base, _mm256_setr_epi64x(3, 7, 11, 15)));
    Store256(ends_ + pending_ + kAvx2Numbers,
             _mm256_add_epi64(base, _mm256_setr_epi64x(19, 23, 27, 31)));
    pending_ += count;
    size_ += (kSingleBytes + 1) * count;
    at += kSingleBytes * count;
  }
  token_begin_ = size_;
  return count < kSingles ? at : at + PutSinglesPortable(text.substr(at), range);
}

NEARDUP_AVX512_FUNCTION size_t TokenList::PutAsciiAvx512(std::string_view text) {
  const __m512i numbers = _mm512_loadu_si512(kByteNumbers.data());
  const __m512i low_signs = _mm512_loadu_si512(kSigns.data());
  const __m512i high_signs = _mm512_loadu_si512(kSigns.data() + kRowBytes);
  size_t at = 0;
  RowStops stops;
  bool goes_on = true;
  while (goes_on && at < text.size()) {
    // A row ends at most 32 tokens, and their ends are written eight at a time.
    if (pending_ + kRowBytes / 2 + kAvx512Numbers > kPendingMax) HashPending();
    size_t row = std::min(text.size() - at, kRowBytes);
    const __m512i bytes = _mm512_maskz_loadu_epi8(LowBits(row), text.data() + at);
    const uint64_t beyond_ascii = _mm512_movepi8_mask(bytes);
    if (beyond_ascii != 0) row = static_cast<size_t>(std::countr_zero(beyond_ascii));
    uint64_t used = LowBits(row);

    const __m512i lower = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    const uint64_t letters = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')),
                                                    _mm512_set1_epi8('z' - 'a' + 1));
    const uint64_t digits = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')),
                                                   _mm512_set1_epi8('9' - '0' + 1));
    const uint64_t upper = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('A')),
                                                  _mm512_set1_epi8('Z' - 'A' + 1));
    RowBits bits{.run = (letters | digits) & used, .digits = digits & used, .upper = upper & used};
    const __m512i signs = _mm512_permutex2var_epi8(low_signs, bytes, high_signs);
    const auto having = [&](char wanted) NEARDUP_AVX512_FUNCTION {
      return _mm512_test_epi8_mask(signs, _mm512_set1_epi8(wanted)) & used;
    };
    if (having(kSymbol | kHyphen | kOther) != 0) {
      bits.symbols = having(kSymbol);
      bits.hyphens = having(kHyphen);
      bits.others = having(kOther);
      bits.leads = having(kLead);
    }
    const size_t stop = stops.Find(bits, used, in_token());
    if (stop < row) {
      row = stop;
      used = LowBits(row);
    }
    goes_on = row == kRowBytes;
    const uint64_t run = bits.run & used;
    const uint64_t ends = ~run & used & (run << 1 | uint64_t{in_token()});
    const uint64_t kept = run | ends;
    __m512i folded = _mm512_mask_mov_epi8(bytes, letters, lower);
    folded = _mm512_mask_mov_epi8(_mm512_set1_epi8(' '), run, folded);
    _mm512_storeu_si512(bytes_.data() + size_, _mm512_maskz_compress_epi8(kept, folded));

    const uint64_t kept_ends = _pext_u64(ends, kept);
    if (kept_ends != 0) {
      const __m512i offsets = _mm512_maskz_compress_epi8(kept_ends, numbers);
      const auto count = static_cast<size_t>(std::popcount(kept_ends));
      uint64_t* out = ends_ + pending_;
      PutEnds(_mm512_castsi512_si128(offsets), size_, out);
      if (count > 8) {
        const __m256i low = _mm512_castsi512_si256(offsets);
        PutEnds(_mm_srli_si128(_mm512_castsi512_si128(offsets), 8), size_, out + 8);
        if (count > 16) {
          PutEnds(_mm256_extracti128_si256(low, 1), size_, out + 16);
          PutEnds(_mm_srli_si128(_mm256_extracti128_si256(low, 1), 8), size_, out + 24);
        }
      }
      pending_ += count;
      token_begin_ = size_ + static_cast<size_t>(std::bit_width(kept_ends));
    }
    size_ += static_cast<size_t>(std::popcount(kept));
    at += row;
  }
  return at;
}

NEARDUP_AVX512_FUNCTION size_t TokenList::PutSinglesAvx512(std::string_view text,
                                                           const CodePoints& range) {
  const __m512i as_number = _mm512_loadu_si512(kAsNumber.data());
  const __m512i as_bytes = _mm512_loadu_si512(kAsBytes.data());
  const __m512i first = _mm512_set1_epi32(static_cast<int32_t>(Utf8Number(range.first)));
  const __m512i last = _mm512_set1_epi32(static_cast<int32_t>(Utf8Number(range.last)));
  const __m512i ends = _mm512_set_epi64(31, 27, 23, 19, 15, 11, 7, 3);
  constexpr size_t kSingleBytes = 3;
  size_t at = 0;
  size_t count = kRowSingles;
  while (count == kRowSingles && at < text.size()) {
    if (pending_ + kRowSingles > kPendingMax) HashPending();
    const size_t row = std::min(text.size() - at, kSingleBytes * kRowSingles);
    const __m512i bytes = _mm512_maskz_loadu_epi8(LowBits(row), text.data() + at);
    const __m512i characters = _mm512_permutexvar_epi8(as_number, bytes);
    const uint32_t inside =
        _mm512_mask_cmple_epu32_mask(_mm512_cmpge_epu32_mask(characters, first), characters, last);
    count = static_cast<size_t>(std::countr_one(inside));
    const __m512i spaces = _mm512_set1_epi32(' ' << 24);
    _mm512_storeu_si512(bytes_.data() + size_,
                        _mm512_or_si512(_mm512_permutexvar_epi8(as_bytes, bytes), spaces));
    const __m512i base = _mm512_set1_epi64(static_cast<int64_t>(size_));
    _mm512_storeu_si512(ends_ + pending_, _mm512_add_epi64(ends, base));
    _mm512_storeu_si512(ends_ + pending_ + kAvx512Numbers,
                        _mm512_add_epi64(ends, _mm512_add_epi64(base, _mm512_set1_epi64(32))));
    pending_ += count;
    size_ += (kSingleBytes + 1) * count;
    at += kSingleBytes * count;
  }
  token_begin_ = size_;
  return at;
}

#endif

std::vector<std::string_view> TokensOf(std::string_view text, size_t count_max) {
  std::vector<std::string_view> tokens;
  while (!text.empty() && tokens.size() < count_max) {
    tokens.push_back(text.substr(0, text.find(' ')));
    text.remove_prefix(tokens.back().size() + 1);
  }
  return tokens;
}

}  // namespace neardup
