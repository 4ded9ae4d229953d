#include "feature/token_list.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/wide.h"
#include "base/word_hashes.h"

namespace neardup {

namespace {

constexpr size_t kRowBytes = 64;

/// The lowest `count` bits, 0 to 64.
constexpr uint64_t LowBits(size_t count) {
  return count >= kRowBytes ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

/// Up to 64 bytes of text, classified and folded eight at a time. Each constant and each sum stays
/// within its byte, because the top bits are cleared before.
class AsciiRow {
 public:
  explicit AsciiRow(std::string_view text) {
    uint64_t beyond_ascii = 0;
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
      run_ |= Gather(letters | digits) << at;
      beyond_ascii |= Gather(bytes & kTopBits) << at;
      uint64_t folded = bytes | letters >> 2;
      if constexpr (std::endian::native == std::endian::big) folded = __builtin_bswap64(folded);
      std::memcpy(folded_ + at, &folded, sizeof folded);
      if (beyond_ascii != 0) break;
    }
    size_ = std::min(text.size(), static_cast<size_t>(std::countr_zero(beyond_ascii)));
    run_ &= LowBits(size_);
  }

  /// Bytes before the first one that is no ASCII.
  size_t size() const { return size_; }
  /// Bit i: byte i is a letter or a digit.
  uint64_t run() const { return run_; }
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
  uint64_t run_ = 0;
  char folded_[kRowBytes + kCopied];
};

}  // namespace

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
  size_t at = 0;
  bool is_ascii = true;
  while (is_ascii && at < text.size()) {
    const std::string_view rest = text.substr(at, kRowBytes);
    const AsciiRow row(rest);
    if (in_token() && (row.run() & 1) == 0 && row.size() > 0) EndToken();
    // Bit i: byte i begins a run.
    for (uint64_t begins = row.run() & ~(row.run() << 1); begins != 0; begins &= begins - 1) {
      const auto begin = static_cast<size_t>(std::countr_zero(begins));
      const auto size = static_cast<size_t>(std::countr_one(row.run() >> begin));
      std::memcpy(&bytes_[size_], row.folded() + begin, AsciiRow::kCopied);
      if (size > AsciiRow::kCopied) std::memcpy(&bytes_[size_], row.folded() + begin, size);
      size_ += size;
      if (begin + size < row.size()) EndToken();
    }
    is_ascii = row.size() == rest.size();
    at += row.size();
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
  __m256i folded;         ///< letters in lower case, and spaces for all that is no letter or digit
  uint32_t run;           ///< bit i: byte i is a letter or a digit
  uint32_t beyond_ascii;  ///< bit i: byte i is no ASCII
};

/// Each byte that is `first` or one of the `count` - 1 bytes after it. AVX2 compares only bytes
/// with a sign, so `first` is moved to the smallest of them.
NEARDUP_AVX2_FUNCTION inline __m256i Among(__m256i bytes, char first, int count) {
  const __m256i moved = _mm256_sub_epi8(bytes, _mm256_set1_epi8(static_cast<char>(first + 0x80)));
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(count - 0x80)), moved);
}

NEARDUP_AVX2_FUNCTION inline AsciiHalf FoldAscii(const char* text) {
  const __m256i bytes = Load256(text);
  const __m256i case_bit = _mm256_set1_epi8(0x20);
  const __m256i letters = Among(_mm256_or_si256(bytes, case_bit), 'a', 26);
  const __m256i run = _mm256_or_si256(letters, Among(bytes, '0', 10));
  const __m256i lower = _mm256_or_si256(bytes, _mm256_and_si256(letters, case_bit));
  return {_mm256_blendv_epi8(_mm256_set1_epi8(' '), lower, run),
          static_cast<uint32_t>(_mm256_movemask_epi8(run)),
          static_cast<uint32_t>(_mm256_movemask_epi8(bytes))};
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
  bool is_ascii = true;
  while (is_ascii && at < text.size()) {
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
    is_ascii = beyond_ascii == 0;
    if (!is_ascii) row = static_cast<size_t>(std::countr_zero(beyond_ascii));
    const uint64_t used = LowBits(row);

    const uint64_t run = (uint64_t{high.run} << 32 | low.run) & used;
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
    Store256(ends_ + pending_ + kAvx2Lanes,
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
  size_t at = 0;
  bool is_ascii = true;
  while (is_ascii && at < text.size()) {
    // A row ends at most 32 tokens, and their ends are written eight at a time.
    if (pending_ + kRowBytes / 2 + kAvx512Lanes > kPendingMax) HashPending();
    size_t row = std::min(text.size() - at, kRowBytes);
    const __m512i bytes = _mm512_maskz_loadu_epi8(LowBits(row), text.data() + at);
    const uint64_t beyond_ascii = _mm512_movepi8_mask(bytes);
    is_ascii = beyond_ascii == 0;
    if (!is_ascii) row = static_cast<size_t>(std::countr_zero(beyond_ascii));
    const uint64_t used = LowBits(row);

    const __m512i lower = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    const uint64_t letters = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, _mm512_set1_epi8('a')),
                                                    _mm512_set1_epi8('z' - 'a' + 1));
    const uint64_t digits = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8('0')),
                                                   _mm512_set1_epi8('9' - '0' + 1));
    const uint64_t run = (letters | digits) & used;
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
    _mm512_storeu_si512(ends_ + pending_ + kAvx512Lanes,
                        _mm512_add_epi64(ends, _mm512_add_epi64(base, _mm512_set1_epi64(32))));
    pending_ += count;
    size_ += (kSingleBytes + 1) * count;
    at += kSingleBytes * count;
  }
  token_begin_ = size_;
  return at;
}

#endif

}  // namespace neardup
