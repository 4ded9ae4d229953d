// Parts of texts that differ from record to record and say nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "neardup/options.h"

namespace neardup {

/// FORMAT: a masked part becomes a token of this one byte. No text gives such a token: control
/// characters separate.
enum class MaskKind : uint8_t { kTime = 1, kUuid = 2, kIp = 3, kHex = 4, kNumber = 5 };

/// Whether a token is the one of a mask.
constexpr bool IsMaskToken(std::string_view token) {
  return token.size() == 1 && token[0] >= static_cast<char>(MaskKind::kTime) &&
         token[0] <= static_cast<char>(MaskKind::kNumber);
}
inline constexpr Masks kAllMasks = {true, true, true, true, true};

struct MaskedPart {
  size_t begin = 0;
  size_t end = 0;
  MaskKind kind = MaskKind::kTime;
};

/// The first part at or after `from` that one of the masks takes; numbers are masked as tokens
/// (tokeniser.h) and are none. `text` must be UTF-8; a part begins and ends with ASCII.
///
/// FORMAT: a part begins where no letter, digit or mark stands before it, and ends where none
/// follows ('_' is neither). Where several kinds could begin, the first of these is taken:
///   time  a time of day, with its date where there is one (masked_time.h); a date alone is none
///   uuid  8-4-4-4-12 hex digits
///   ip    an IPv4 or IPv6 address, with its port (masked_ip.h)
///   hex   0x and hex digits, or 8 or more hex digits with both a letter and a decimal digit
std::optional<MaskedPart> FindMaskedPart(std::string_view text, size_t from, const Masks& masks);

/// No letter, digit or mark stands right before `at`.
bool BeginsWord(std::string_view text, size_t at);
/// No letter, digit or mark stands at `at`.
bool EndsWord(std::string_view text, size_t at);

// Addresses of machines in running text.

/// Where the address that begins at `at` ends. FORMAT: four numbers up to 255 with points between,
/// after and before which no further ".digit" stands, and `:port`; or a longest run of hex
/// digits, ':' and '.' from the beginning of a word that, without a '.' or ':' at its end, is an
/// IPv6 address (RFC 4291) with at least one decimal digit, and `%zone`; or such a one in brackets
/// and `:port`. A port has 1 to 5 digits.
std::optional<size_t> MaskedIpEnd(std::string_view text, size_t at);

}  // namespace neardup
