#include "feature/markup.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "feature/character.h"

namespace neardup {
namespace {

constexpr size_t kTagCharactersMax = 200;
constexpr size_t kEntityBytesMax = 12;  // including & and ;

/// HTML entities for U+00A0 to U+00FF, in this order.
constexpr const char* kLatin1[] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
static_assert(std::size(kLatin1) == 96);

struct Entity {
  const char* name;
  uint32_t code_point;
};
constexpr Entity kOthers[] = {
    {"amp", '&'},      {"lt", '<'},        {"gt", '>'},        {"quot", '"'},
    {"apos", '\''},    {"ensp", 0x2002},   {"emsp", 0x2003},   {"thinsp", 0x2009},
    {"ndash", 0x2013}, {"mdash", 0x2014},  {"lsquo", 0x2018},  {"rsquo", 0x2019},
    {"sbquo", 0x201A}, {"ldquo", 0x201C},  {"rdquo", 0x201D},  {"bdquo", 0x201E},
    {"bull", 0x2022},  {"hellip", 0x2026}, {"lsaquo", 0x2039}, {"rsaquo", 0x203A},
    {"euro", 0x20AC},  {"trade", 0x2122},  {"minus", 0x2212},
};

/// The number of an entity such as 65 or x41; 0 if it is none.
uint32_t DecodeNumber(std::string_view digits) {
  int base = 10;
  if (!digits.empty() && (digits.front() == 'x' || digits.front() == 'X')) {
    base = 16;
    digits.remove_prefix(1);
  }
  uint32_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, base);
  return error == std::errc() && stop == end ? number : 0;
}

/// The code point of an entity, which is given without & and ;. 0 if it is unknown or invalid.
uint32_t Decode(std::string_view entity) {
  if (entity.empty()) return 0;
  if (entity.front() == '#') {
    const uint32_t number = DecodeNumber(entity.substr(1));
    return number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF) ? number : 0;
  }
  for (const Entity& other : kOthers) {
    if (entity == other.name) return other.code_point;
  }
  const auto found = std::find(std::begin(kLatin1), std::end(kLatin1), entity);
  if (found == std::end(kLatin1)) return 0;
  return 0xA0 + static_cast<uint32_t>(found - std::begin(kLatin1));
}

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

/// Writes decoded text byte by byte, and replaces a tag by a space when its '>' arrives.
class TagStripper {
 public:
  explicit TagStripper(std::string& out) : out_(out) { out_.clear(); }

  void Put(char byte) {
    if (byte == '<') {
      open_ = out_.size();
    } else if (byte == '>' && open_ != std::string::npos) {
      const std::string_view inside = std::string_view(out_).substr(open_ + 1);
      if (CountCharacters(inside) <= kTagCharactersMax) {
        out_.resize(open_);
        byte = ' ';
      }
      open_ = std::string::npos;
    }
    out_ += byte;
  }

 private:
  std::string& out_;
  size_t open_ = std::string::npos;  ///< offset of the last '<' in out_; npos: no tag is open
};

}  // namespace

bool MayHoldMarkup(std::string_view text) {
  return std::memchr(text.data(), '<', text.size()) != nullptr ||
         std::memchr(text.data(), '&', text.size()) != nullptr;
}

void StripMarkup(std::string_view text, std::string& out) {
  TagStripper stripper(out);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&') {
      const size_t length = text.substr(i, kEntityBytesMax).find(';');
      const uint32_t code_point =
          length == std::string_view::npos ? 0 : Decode(text.substr(i + 1, length - 1));
      if (code_point != 0) {
        char bytes[4];
        const size_t size = EncodeUtf8(code_point, bytes);
        for (size_t k = 0; k < size; ++k) stripper.Put(bytes[k]);
        i += length;
        continue;
      }
    }
    stripper.Put(text[i]);
  }
}

}  // namespace neardup
