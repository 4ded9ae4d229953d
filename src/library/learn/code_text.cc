#include "learn/code_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace neardup {

namespace {

constexpr size_t kKeyBytesMin = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsWebAddress(std::string_view text) {
  const size_t scheme = text.find("://");
  return scheme != std::string_view::npos && scheme > 0 && scheme + 3 < text.size() &&
         std::all_of(text.begin(), text.begin() + static_cast<ptrdiff_t>(scheme),
                     [](char c) { return IsLetter(c) || IsDigit(c); }) &&
         std::none_of(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; });
}

/// Parts of letters, digits and hyphens with dots between; the last part has letters only.
bool IsHostName(std::string_view text) {
  const size_t last_dot = text.rfind('.');
  if (last_dot == std::string_view::npos || last_dot == 0) return false;
  const std::string_view top = text.substr(last_dot + 1);
  if (top.size() < 2 || !std::all_of(top.begin(), top.end(), IsLetter)) return false;
  char before = '.';
  for (const char c : text.substr(0, last_dot)) {
    if (c == '.' && before == '.') return false;
    if (c != '.' && c != '-' && !IsDigit(c) && !IsLetter(c)) return false;
    before = c;
  }
  return before != '.';
}

/// UUIDs too.
bool IsKey(std::string_view text) {
  size_t digits = 0;
  size_t letters = 0;
  for (const char c : text) {
    if (IsDigit(c)) {
      ++digits;
    } else if (IsLetter(c)) {
      ++letters;
    } else if (c != '-' && c != '_' && c != '=' && c != '+' && c != '/') {
      return false;
    }
  }
  return digits + letters >= kKeyBytesMin && digits > 0 && letters > 0;
}

}  // namespace

bool IsCodeText(std::string_view text) {
  return IsKey(text) || IsHostName(text) || IsWebAddress(text);
}

bool NamesMachineNumber(std::string_view field) {
  static constexpr std::string_view kNames[] = {
      "pid",    "ppid",       "tid",     "processid", "threadid", "process",        "thread",
      "port",   "srcport",    "dstport", "seq",       "sequence", "sequencenumber", "offset",
      "lineno", "linenumber", "attempt", "retrycount"};
  std::string_view::size_type begin = field.rfind('/');
  if (begin != std::string_view::npos) field.remove_prefix(begin + 1);
  return std::any_of(std::begin(kNames), std::end(kNames), [field](std::string_view name) {
    size_t at = 0;
    for (const char c : field) {
      if (c == '_' || c == '-') continue;
      if (at == name.size() || Lower(c) != name[at]) return false;
      ++at;
    }
    return at == name.size();
  });
}

}  // namespace neardup
