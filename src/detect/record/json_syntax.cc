#include "detect/record/json_syntax.h"

#include <simdjson.h>

#include <charconv>

namespace neardup {
namespace {

size_t CountDigits(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
  return count;
}

bool StartsWithAny(std::string_view text, std::string_view choices) {
  return !text.empty() && choices.find(text.front()) != std::string_view::npos;
}

/// The code unit of the escape `\uXXXX` that `text` begins with; -1 if it begins with none.
int EscapedUnit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
  unsigned unit = 0;
  const char* end = text.data() + 6;
  const auto [stop, error] = std::from_chars(text.data() + 2, end, unit, 16);
  return error == std::errc() && stop == end ? static_cast<int>(unit) : -1;
}

bool IsHighSurrogate(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

}  // namespace

const char* Name(JsonKind kind) {
  constexpr const char* kNames[] = {"an object", "an array",  "a string",
                                    "a number",  "a boolean", "null"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<JsonKind> ScalarKind(std::string_view text) {
  if (text == "null") return JsonKind::kNull;
  if (text == "true" || text == "false") return JsonKind::kBoolean;
  if (IsJsonNumber(text)) return JsonKind::kNumber;
  return std::nullopt;
}

bool IsJsonNumber(std::string_view text) {
  if (StartsWithAny(text, "-")) text.remove_prefix(1);
  const size_t whole = CountDigits(text);
  if (whole == 0 || (whole > 1 && text.front() == '0')) return false;
  text.remove_prefix(whole);
  if (StartsWithAny(text, ".")) {
    text.remove_prefix(1);
    const size_t fraction = CountDigits(text);
    if (fraction == 0) return false;
    text.remove_prefix(fraction);
  }
  if (StartsWithAny(text, "eE")) {
    text.remove_prefix(1);
    if (StartsWithAny(text, "+-")) text.remove_prefix(1);
    const size_t exponent = CountDigits(text);
    if (exponent == 0) return false;
    text.remove_prefix(exponent);
  }
  return text.empty();
}

std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' ||
                           text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

bool HasLoneSurrogate(std::string_view raw) {
  size_t at = 0;
  while ((at = raw.find('\\', at)) != std::string_view::npos) {
    const int unit = EscapedUnit(raw.substr(at));
    if (IsLowSurrogate(unit)) return true;
    if (IsHighSurrogate(unit)) {
      at += 6;
      if (!IsLowSurrogate(EscapedUnit(raw.substr(at)))) return true;
    }
    at += unit < 0 ? 2 : 6;
  }
  return false;
}

size_t FirstInvalidUtf8(std::string_view text) {
  size_t at = 0;
  // Long stretches first, so that a fault at the end of a large payload is found fast. A stretch
  // may be up to 3 bytes longer than the stride, so that it ends where a character ends.
  for (const size_t stride : {size_t{1} << 16, size_t{1} << 8, size_t{1}}) {
    bool advanced = true;
    while (advanced) {
      advanced = false;
      for (size_t size = stride; size < stride + 4 && at + size <= text.size(); ++size) {
        if (simdjson::validate_utf8(text.data() + at, size)) {
          at += size;
          advanced = true;
          break;
        }
      }
    }
  }
  return at;
}

bool NestsDeeperThan(std::string_view json, size_t depth_max) {
  size_t depth = 0;
  bool in_text = false;
  for (size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') in_text = !in_text;
    if (in_text) {
      if (c == '\\') ++at;
    } else if (c == '[' || c == '{') {
      if (++depth > depth_max) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace neardup
