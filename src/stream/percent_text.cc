#include "stream/percent_text.h"

namespace neardup {
namespace {

bool StandsAsItIs(char c) {
  if (('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9')) return true;
  return c != '\0' && std::string_view("-._~/:,()'").find(c) != std::string_view::npos;
}

int HexDigit(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void AppendPercentEncoded(std::string& out, std::string_view text) {
  for (char c : text) {
    if (StandsAsItIs(c)) {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out.push_back('%');
    out.push_back("0123456789ABCDEF"[byte >> 4]);
    out.push_back("0123456789ABCDEF"[byte & 15]);
  }
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (StandsAsItIs(text[i])) {
      out.push_back(text[i]);
      continue;
    }
    if (text[i] != '%' || i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

}  // namespace neardup
