#include "detect/feature/mask.h"

#include <arpa/inet.h>

#include <algorithm>

#include "detect/feature/character.h"
#include "detect/feature/masked_time.h"

namespace neardup {
namespace {

constexpr size_t kHexDigitsMin = 8;
constexpr size_t kPortDigitsMax = 5;
/// Letters of the names of days and months, as masked_time.h takes them.
constexpr size_t kNameLetters = 3;

/// Whether the character at `at` joins a word of ASCII letters and digits that stands next to it.
bool IsPartOfWord(std::string_view text, size_t at) {
  if (IsAscii(text[at])) return IsAsciiDigit(text[at]) || IsAsciiLetter(text[at]);
  const char* place = text.data() + at;
  const FoldTable::Kind kind = FoldTable::Get().Find(DecodeUtf8(place)).kind;
  return kind != FoldTable::Kind::kSeparator && kind != FoldTable::Kind::kSingle;
}

size_t HexRunEnd(std::string_view text, size_t at) {
  while (at < text.size() && IsAsciiHex(text[at])) ++at;
  return at;
}

std::optional<size_t> UuidEnd(std::string_view text, size_t at) {
  constexpr size_t kGroups[] = {8, 4, 4, 4, 12};
  for (const size_t digits : kGroups) {
    const bool first = digits == kGroups[0];
    if (!first && (at == text.size() || text[at++] != '-')) return std::nullopt;
    const size_t end = HexRunEnd(text, at);
    if (end - at != digits) return std::nullopt;
    at = end;
  }
  return at;
}

std::optional<size_t> PointerEnd(std::string_view text, size_t at) {
  const bool marked = text.size() > at + 2 && text[at] == '0' && (text[at + 1] | 0x20) == 'x' &&
                      IsAsciiHex(text[at + 2]);
  return marked ? std::optional(HexRunEnd(text, at + 2)) : std::nullopt;
}

std::optional<size_t> HexEnd(std::string_view text, size_t at) {
  if (const auto end = PointerEnd(text, at)) return end;
  const size_t end = HexRunEnd(text, at);
  if (end - at < kHexDigitsMin) return std::nullopt;
  const std::string_view run = text.substr(at, end - at);
  const auto has = [run](bool (*is)(char)) { return std::any_of(run.begin(), run.end(), is); };
  return has(IsAsciiDigit) && has(IsAsciiLetter) ? std::optional(end) : std::nullopt;
}

bool IsDigitAt(std::string_view text, size_t at) {
  return at < text.size() && IsAsciiDigit(text[at]);
}

bool IsAt(std::string_view text, size_t at, char c) { return at < text.size() && text[at] == c; }

/// The place after ":port", or `at` if no port stands there.
size_t SkipPort(std::string_view text, size_t at) {
  if (!IsAt(text, at, ':')) return at;
  size_t end = at + 1;
  while (IsDigitAt(text, end)) ++end;
  const size_t digits = end - at - 1;
  return digits >= 1 && digits <= kPortDigitsMax && EndsWord(text, end) ? end : at;
}

std::optional<size_t> Ip4End(std::string_view text, size_t at) {
  if (at > 1 && text[at - 1] == '.' && IsAsciiDigit(text[at - 2])) return std::nullopt;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !IsAt(text, at++, '.')) return std::nullopt;
    int value = 0;
    const size_t begin = at;
    for (; IsDigitAt(text, at) && at - begin < 3; ++at) value = 10 * value + (text[at] - '0');
    if (at == begin || value > 255) return std::nullopt;
  }
  if (IsAt(text, at, '.') && IsDigitAt(text, at + 1)) return std::nullopt;
  return EndsWord(text, at) ? std::optional(SkipPort(text, at)) : std::nullopt;
}

bool IsIp6Character(char c) { return IsAsciiHex(c) || c == ':' || c == '.'; }

/// Whether `at` lies inside a run of address characters that began before it.
bool IsWithinIp6(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin <= INET6_ADDRSTRLEN && IsIp6Character(text[begin - 1])) --begin;
  return begin < at && (at - begin > INET6_ADDRSTRLEN || BeginsWord(text, begin));
}

std::optional<size_t> Ip6End(std::string_view text, size_t at) {
  if (IsWithinIp6(text, at)) return std::nullopt;
  size_t end = at;
  while (end < text.size() && end - at <= INET6_ADDRSTRLEN && IsIp6Character(text[end])) ++end;
  if (end - at > INET6_ADDRSTRLEN) return std::nullopt;
  const auto address = [&] { return text.substr(at, end - at); };
  while (address().ends_with('.') || (address().ends_with(':') && !address().ends_with("::"))) {
    --end;
  }
  const std::string_view found = address();
  if (std::count(found.begin(), found.end(), ':') < 2) return std::nullopt;
  if (std::none_of(found.begin(), found.end(), IsAsciiDigit)) return std::nullopt;
  in6_addr parsed;
  if (inet_pton(AF_INET6, std::string(found).c_str(), &parsed) != 1) return std::nullopt;
  if (IsAt(text, end, '%')) {
    size_t zone = end + 1;
    while (zone < text.size() && (IsAsciiDigit(text[zone]) || IsAsciiLetter(text[zone]))) ++zone;
    if (zone > end + 1) end = zone;
  }
  return end;
}

std::optional<size_t> IpEnd(std::string_view text, size_t at) {
  if (text[at] == '[') {
    const auto end = Ip6End(text, at + 1);
    if (!end || !IsAt(text, *end, ']')) return std::nullopt;
    return SkipPort(text, *end + 1);
  }
  if (const auto end = Ip4End(text, at)) return end;
  return Ip6End(text, at);
}

/// Where a part of this kind that begins at `at` ends.
std::optional<size_t> EndOf(MaskKind kind, std::string_view text, size_t at) {
  switch (kind) {
    case MaskKind::kTimestamp:
      return TimestampEnd(text, at);
    case MaskKind::kTime:
      return MaskedTimeEnd(text, at);
    case MaskKind::kUuid:
      return UuidEnd(text, at);
    case MaskKind::kIp:
      return IpEnd(text, at);
    case MaskKind::kPointer:
      return PointerEnd(text, at);
    case MaskKind::kHex:
      return HexEnd(text, at);
    case MaskKind::kNumber:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MaskedPart> PartAt(std::string_view text, size_t at, const Masks& masks) {
  for (const MaskRow& row : kMaskRows) {
    if (!(masks.*row.on)) continue;
    const auto end = EndOf(row.kind, text, at);
    if (end && EndsWord(text, *end)) return MaskedPart{at, *end, row.kind};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> MaskNames(const Masks& masks) {
  std::vector<std::string> names;
  for (const MaskRow& row : kMaskRows) {
    if (masks.*row.on) names.emplace_back(row.name);
  }
  return names;
}

Masks MasksNamed(std::span<const std::string> names) {
  Masks masks;
  for (const MaskRow& row : kMaskRows) {
    masks.*row.on = std::find(names.begin(), names.end(), row.name) != names.end();
  }
  return masks;
}

std::optional<MaskedPart> FindMaskedPart(std::string_view text, size_t from, const Masks& masks) {
  Masks parts = masks;
  parts.number = false;
  if (!parts.any()) return std::nullopt;
  for (size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    size_t end = at;
    while (end < text.size() && (IsAsciiDigit(text[end]) || IsAsciiLetter(text[end]))) ++end;
    if (end == at && c != ':' && c != '[') continue;
    // With another letter begin only the names of days and months.
    const bool may_begin = !IsAsciiLetter(c) || IsAsciiHex(c) || end - at == kNameLetters;
    if (may_begin && BeginsWord(text, at)) {
      if (const auto part = PartAt(text, at, masks)) return part;
    }
    if (end > at) at = end - 1;  // no part begins within a word
  }
  return std::nullopt;
}

bool BeginsWord(std::string_view text, size_t at) {
  if (at == 0) return true;
  do {
    --at;
  } while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return !IsPartOfWord(text, at);
}

bool EndsWord(std::string_view text, size_t at) {
  return at == text.size() || !IsPartOfWord(text, at);
}

}  // namespace neardup
