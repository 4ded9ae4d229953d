#include "feature/mask.h"

#include <algorithm>

#include "feature/ascii.h"
#include "feature/character.h"
#include "feature/masked_ip.h"
#include "feature/masked_time.h"
#include "feature/utf8.h"

namespace neardup {
namespace {

constexpr size_t kHexDigitsMin = 8;

/// The character at `at` would go on with a word of ASCII.
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

std::optional<size_t> HexEnd(std::string_view text, size_t at) {
  const bool marked = text.size() > at + 2 && text[at] == '0' && (text[at + 1] | 0x20) == 'x' &&
                      IsAsciiHex(text[at + 2]);
  if (marked) return HexRunEnd(text, at + 2);
  const size_t end = HexRunEnd(text, at);
  if (end - at < kHexDigitsMin) return std::nullopt;
  const std::string_view run = text.substr(at, end - at);
  const auto has = [run](bool (*is)(char)) { return std::any_of(run.begin(), run.end(), is); };
  if (!has([](char c) { return IsAsciiDigit(c); })) return std::nullopt;
  if (!has([](char c) { return IsAsciiLetter(c); })) return std::nullopt;
  return end;
}

/// The part that begins at `at`.
std::optional<MaskedPart> PartAt(std::string_view text, size_t at, const Masks& masks) {
  struct Row {
    bool masked;
    MaskKind kind;
    std::optional<size_t> (*end)(std::string_view, size_t);
  };
  const Row rows[] = {{masks.time, MaskKind::kTime, &MaskedTimeEnd},
                      {masks.uuid, MaskKind::kUuid, &UuidEnd},
                      {masks.ip, MaskKind::kIp, &MaskedIpEnd},
                      {masks.hex, MaskKind::kHex, &HexEnd}};
  for (const Row& row : rows) {
    if (!row.masked) continue;
    const auto end = row.end(text, at);
    if (end && EndsWord(text, *end)) return MaskedPart{at, *end, row.kind};
  }
  return std::nullopt;
}

}  // namespace

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

std::optional<MaskedPart> FindMaskedPart(std::string_view text, size_t from, const Masks& masks) {
  if (!masks.time && !masks.uuid && !masks.ip && !masks.hex) return std::nullopt;
  for (size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    const bool may_begin = IsAsciiDigit(c) || IsAsciiLetter(c) || c == ':' || c == '[';
    if (!may_begin || !BeginsWord(text, at)) continue;
    if (const auto part = PartAt(text, at, masks)) return part;
  }
  return std::nullopt;
}

}  // namespace neardup
