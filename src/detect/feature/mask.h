// Masks: kinds of text, such as times and addresses, that all count as the same word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/options.h"

namespace neardup {

/// FORMAT: a masked part becomes a token of this one byte. No text produces such a token, because
/// control characters are separators.
enum class MaskKind : uint8_t {
  kTime = 1,
  kUuid = 2,
  kIp = 3,
  kHex = 4,
  kNumber = 5,
  kTimestamp = 6,
  kPointer = 7
};

/// One kind of mask: its name in the setting `feature.masks`, its token, its switch.
struct MaskRow {
  std::string_view name;
  MaskKind kind;
  bool Masks::*on;
};
/// All kinds, in the order in which FindMaskedPart tries them.
inline constexpr MaskRow kMaskRows[] = {{"timestamp", MaskKind::kTimestamp, &Masks::timestamp},
                                        {"time", MaskKind::kTime, &Masks::time},
                                        {"uuid", MaskKind::kUuid, &Masks::uuid},
                                        {"ip", MaskKind::kIp, &Masks::ip},
                                        {"pointer", MaskKind::kPointer, &Masks::pointer},
                                        {"hex", MaskKind::kHex, &Masks::hex},
                                        {"number", MaskKind::kNumber, &Masks::number}};
static_assert(std::size(kMaskRows) == sizeof(Masks), "every switch of Masks has a row");

/// Parts that say when and where a text was written, and never what it says.
inline constexpr Masks kCircumstanceMasks = {.timestamp = true, .uuid = true, .pointer = true};
/// For messages of programs, whose template says what they are.
inline constexpr Masks kLogMasks = {
    .time = true, .uuid = true, .ip = true, .hex = true, .number = true};

inline constexpr Masks kAllMasks = [] {
  Masks masks;
  for (const MaskRow& row : kMaskRows) masks.*row.on = true;
  return masks;
}();

/// Names of the masks that are on, in the order of kMaskRows.
std::vector<std::string> MaskNames(const Masks& masks);
/// The named masks are on. Unknown names are ignored.
Masks MasksNamed(std::span<const std::string> names);

/// Whether a token stands for a masked part.
constexpr bool IsMaskToken(std::string_view token) {
  for (const MaskRow& row : kMaskRows) {
    if (token.size() == 1 && token[0] == static_cast<char>(row.kind)) return true;
  }
  return false;
}

/// Bytes from `begin` up to, but not including, `end`.
struct MaskedPart {
  size_t begin = 0;
  size_t end = 0;
  MaskKind kind = MaskKind::kTime;
};

/// The first part at or after `from` that one of `masks` takes. `text` must be valid UTF-8; a part
/// begins and ends with ASCII. The mask for numbers takes whole tokens (tokeniser.h), no parts.
///
/// FORMAT: no letter, digit or combining mark stands right before or right after a part ('_' is
/// none of them). If several kinds could begin at one place, the first of this list is taken:
///   timestamp  a time of day with its date (masked_time.h)
///   time  the same, and a time of day without a date; a date alone is not masked
///   uuid  8-4-4-4-12 hex digits
///   ip    an IPv4 address: four numbers up to 255 with points between, with no further ".digit"
///         before or after;
///         an IPv6 address (RFC 4291) with at least one decimal digit: the longest run of hex
///         digits, ':' and '.' from the beginning of a word, less any '.' or single ':' at its end;
///         then "%zone", if it is there;
///         an IPv6 address in brackets;
///         the first and the last take ":port" too, of 1 to 5 digits
///   pointer  0x and hex digits
///   hex   0x and hex digits, or 8 or more hex digits with both a letter and a decimal digit
std::optional<MaskedPart> FindMaskedPart(std::string_view text, size_t from, const Masks& masks);

/// Whether no letter, digit or combining mark stands right before `at`.
bool BeginsWord(std::string_view text, size_t at);
/// Whether no letter, digit or combining mark stands at `at`.
bool EndsWord(std::string_view text, size_t at);

}  // namespace neardup
