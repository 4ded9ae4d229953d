#include "feature/masked_ip.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "feature/ascii.h"
#include "feature/mask.h"

namespace neardup {
namespace {

constexpr size_t kPortDigitsMax = 5;

bool IsDigitAt(std::string_view text, size_t at) {
  return at < text.size() && IsAsciiDigit(text[at]);
}

bool IsAt(std::string_view text, size_t at, char c) { return at < text.size() && text[at] == c; }

/// Past `:port`, if there is one.
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

bool IsOfIp6(char c) { return IsAsciiHex(c) || c == ':' || c == '.'; }

/// A word that looks like the front of an address goes on at `at`.
bool IsWithinIp6(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin <= INET6_ADDRSTRLEN && IsOfIp6(text[begin - 1])) --begin;
  return begin < at && (at - begin > INET6_ADDRSTRLEN || BeginsWord(text, begin));
}

std::optional<size_t> Ip6End(std::string_view text, size_t at) {
  if (IsWithinIp6(text, at)) return std::nullopt;
  size_t end = at;
  while (end < text.size() && end - at <= INET6_ADDRSTRLEN && IsOfIp6(text[end])) ++end;
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

}  // namespace

std::optional<size_t> MaskedIpEnd(std::string_view text, size_t at) {
  if (text[at] == '[') {
    const auto end = Ip6End(text, at + 1);
    if (!end || !IsAt(text, *end, ']')) return std::nullopt;
    return SkipPort(text, *end + 1);
  }
  if (const auto end = Ip4End(text, at)) return end;
  return Ip6End(text, at);
}

}  // namespace neardup
