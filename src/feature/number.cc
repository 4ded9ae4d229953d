#include "feature/number.h"

#include <algorithm>

#include "feature/utf8.h"

namespace neardup {
namespace {

/// The ASCII character of a number that `code_point` stands for; 0 for none.
char Fold(uint32_t code_point) {
  if (code_point == 0x2212) return '-';
  if (code_point >= 0xFF01 && code_point <= 0xFF5E) code_point -= 0xFEE0;
  if (code_point >= '0' && code_point <= '9') return static_cast<char>(code_point);
  switch (code_point) {
    case '+':
    case '-':
    case '.':
    case 'e':
      return static_cast<char>(code_point);
    case 'E':
      return 'e';
    default:
      return 0;
  }
}

bool IsSpace(uint32_t code_point) {
  return code_point == ' ' || (code_point >= '\t' && code_point <= '\r') || code_point == 0xA0 ||
         code_point == 0x3000;
}

/// Folds the text into `out`; false at the first character that stands in no number.
bool FoldAll(std::string_view text, std::string& out) {
  out.clear();
  bool ended = false;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const uint32_t code_point = DecodeUtf8(at);
    if (IsSpace(code_point)) {
      ended = !out.empty();
      continue;
    }
    const char folded = Fold(code_point);
    if (folded == 0 || ended) return false;
    out += folded;
  }
  return !out.empty();
}

size_t CountDigits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

void DropFractionZeros(std::string& number) {
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
}

}  // namespace

bool CanonicalNumber(std::string_view text, std::string& out) {
  if (!FoldAll(text, out)) return false;
  std::string_view rest = out;
  const bool is_signed = rest.front() == '-' || rest.front() == '+';
  if (is_signed) rest.remove_prefix(1);
  const size_t whole = CountDigits(rest);
  if (whole == 0) return false;
  rest.remove_prefix(whole);
  const bool has_fraction = !rest.empty() && rest.front() == '.';
  if (has_fraction) {
    rest.remove_prefix(1);
    const size_t fraction = CountDigits(rest);
    if (fraction == 0) return false;
    rest.remove_prefix(fraction);
  }
  if (!rest.empty()) {
    if (rest.front() != 'e') return false;
    rest.remove_prefix(1);
    if (!rest.empty() && (rest.front() == '-' || rest.front() == '+')) rest.remove_prefix(1);
    return !rest.empty() && CountDigits(rest) == rest.size();
  }
  if (has_fraction) DropFractionZeros(out);
  const bool is_zero = out.find_first_of("123456789") == std::string::npos;
  if (is_signed && (out.front() == '+' || is_zero)) out.erase(0, 1);
  return true;
}

}  // namespace neardup
