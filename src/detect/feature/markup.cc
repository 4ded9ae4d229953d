#include "detect/feature/markup.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "detect/feature/character.h"

namespace neardup {
namespace {

constexpr auto kNotFound = std::string_view::npos;

/// In ascending order.
constexpr std::string_view kElements[] = {
    "a",          "abbr",     "acronym",  "address",    "applet",   "area",     "article",
    "aside",      "audio",    "b",        "base",       "basefont", "bdi",      "bdo",
    "bgsound",    "big",      "blink",    "blockquote", "body",     "br",       "button",
    "canvas",     "caption",  "center",   "cite",       "code",     "col",      "colgroup",
    "data",       "datalist", "dd",       "del",        "details",  "dfn",      "dialog",
    "dir",        "div",      "dl",       "dt",         "em",       "embed",    "fieldset",
    "figcaption", "figure",   "font",     "footer",     "form",     "frame",    "frameset",
    "h1",         "h2",       "h3",       "h4",         "h5",       "h6",       "head",
    "header",     "hgroup",   "hr",       "html",       "i",        "iframe",   "image",
    "img",        "input",    "ins",      "isindex",    "kbd",      "keygen",   "label",
    "legend",     "li",       "link",     "listing",    "main",     "map",      "mark",
    "marquee",    "math",     "menu",     "menuitem",   "meta",     "meter",    "multicol",
    "nav",        "nextid",   "nobr",     "noembed",    "noframes", "noscript", "object",
    "ol",         "optgroup", "option",   "output",     "p",        "param",    "picture",
    "plaintext",  "pre",      "progress", "q",          "rb",       "rp",       "rt",
    "rtc",        "ruby",     "s",        "samp",       "script",   "search",   "section",
    "select",     "slot",     "small",    "source",     "spacer",   "span",     "strike",
    "strong",     "style",    "sub",      "summary",    "sup",      "svg",      "table",
    "tbody",      "td",       "template", "textarea",   "tfoot",    "th",       "thead",
    "time",       "title",    "tr",       "track",      "tt",       "u",        "ul",
    "var",        "video",    "wbr",      "xmp"};
constexpr size_t kElementBytesMax = 10;
static_assert(std::is_sorted(std::begin(kElements), std::end(kElements)));

struct NamedCharacter {
  std::string_view name;  ///< without '&', with its ';' if it has one
  std::string_view text;  ///< in UTF-8
};
/// In ascending order.
constexpr NamedCharacter kNamed[] = {
#include "detect/feature/character_names.inc"
};
constexpr size_t kNameBytesMax = 32;
/// Of names without ';'.
constexpr size_t kShortNameBytesMax = 6;

/// What the numbers 128 to 159 stand for. 0: themselves.
constexpr uint16_t kWindows1252[] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};
static_assert(std::size(kWindows1252) == 32);

bool IsHtmlSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// `wanted` must be in lower case.
bool BeginsWith(std::string_view text, std::string_view wanted) {
  return text.size() >= wanted.size() &&
         std::equal(wanted.begin(), wanted.end(), text.begin(),
                    [](char left, char right) { return left == Lower(right); });
}

/// The characters of a name, or nothing.
std::string_view FindName(std::string_view name) {
  const auto found = std::lower_bound(std::begin(kNamed), std::end(kNamed), name,
                                      [](const NamedCharacter& candidate, std::string_view wanted) {
                                        return candidate.name < wanted;
                                      });
  return found != std::end(kNamed) && found->name == name ? found->text : std::string_view();
}

/// Decodes the number of a character at the beginning of `text`, which is after "&#", with its
/// ';'. Returns its number of bytes; 0 if none is there.
size_t PutNumbered(std::string_view text, std::string& out) {
  const bool is_hex = !text.empty() && Lower(text.front()) == 'x';
  const char* const begin = text.data() + (is_hex ? 1 : 0);
  const char* const end = text.data() + text.size();
  uint32_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number, is_hex ? 16 : 10);
  if (error != std::errc() || stop == end || *stop != ';' || number == 0 || number > 0x10FFFF ||
      (number >= 0xD800 && number <= 0xDFFF)) {
    return 0;
  }
  if (number >= 0x80 && number < 0xA0 && kWindows1252[number - 0x80] != 0) {
    number = kWindows1252[number - 0x80];
  }
  char bytes[4];
  out.append(bytes, EncodeUtf8(number, bytes));
  return static_cast<size_t>(stop + 1 - text.data());
}

/// Decodes the named character at the beginning of `text`, which is after '&'. Returns the bytes
/// of the name; 0 if none is there.
size_t PutNamed(std::string_view text, std::string& out) {
  size_t size = 0;
  while (size < std::min(text.size(), kNameBytesMax) &&
         (IsAsciiLetter(text[size]) || IsAsciiDigit(text[size]))) {
    ++size;
  }
  if (size < text.size() && text[size] == ';') {
    const std::string_view found = FindName(text.substr(0, size + 1));
    if (!found.empty()) {
      out += found;
      return size + 1;
    }
  }
  for (size = std::min(size, kShortNameBytesMax); size > 1; --size) {
    const std::string_view found = FindName(text.substr(0, size));
    if (found.empty()) continue;
    out += found;
    return size;
  }
  return 0;
}

/// Decodes the character at the beginning of `text`, which is after '&'. Returns its bytes there;
/// 0 if there is none.
size_t PutCharacter(std::string_view text, std::string& out) {
  if (!text.empty() && text.front() == '#') {
    const size_t size = PutNumbered(text.substr(1), out);
    return size == 0 ? 0 : size + 1;
  }
  return PutNamed(text, out);
}

/// Finds the parts of one text that are markup.
class MarkupFinder {
 public:
  explicit MarkupFinder(std::string_view text)
      : text_(text), vain_bytes_left_(kVainFactor * text.size()) {}

  /// Bytes of the part that begins at `at`, where a '<' or ']' stands. 0: none begins there.
  size_t SizeAt(size_t at) {
    const std::string_view rest = text_.substr(at);
    if (rest.front() == ']') {
      if (!in_cdata_ || !rest.starts_with("]]>")) return 0;
      in_cdata_ = false;
      return 3;
    }
    if (rest.size() < 3) return 0;
    if (rest[1] != '!' && rest[1] != '?') return TagSize(rest);
    constexpr std::string_view kCdata = "<![CDATA[";
    if (rest.starts_with(kCdata)) {
      in_cdata_ = true;
      return kCdata.size();
    }
    if (rest.starts_with("<!--")) return SizeUpTo("-->", rest, 2);
    if (BeginsWith(rest, "<?xml")) return SizeUpTo("?>", rest, 2);
    constexpr std::string_view kDoctype = "<!doctype";
    const bool is_doctype = BeginsWith(rest, kDoctype) && rest.size() > kDoctype.size() &&
                            (IsHtmlSpace(rest[kDoctype.size()]) || rest[kDoctype.size()] == '>');
    return is_doctype ? SizeUpTo(">", rest, kDoctype.size()) : 0;
  }

 private:
  static constexpr size_t kVainFactor = 16;

  /// Returns 0, and notes what was searched for nothing.
  size_t Vain(size_t bytes) {
    vain_bytes_left_ -= std::min(vain_bytes_left_, bytes);
    return 0;
  }

  size_t SizeUpTo(std::string_view end, std::string_view rest, size_t from) {
    if (vain_bytes_left_ == 0) return 0;
    const size_t found = rest.find(end, from);
    return found == kNotFound ? Vain(rest.size()) : found + end.size();
  }

  size_t TagSize(std::string_view rest) {
    const size_t name_begin = rest[1] == '/' ? 2 : 1;
    size_t at = name_begin;
    char name[kElementBytesMax];
    while (at < rest.size() && (IsAsciiLetter(rest[at]) || IsAsciiDigit(rest[at]))) {
      if (at - name_begin == kElementBytesMax) return 0;
      name[at - name_begin] = Lower(rest[at]);
      ++at;
    }
    if (at == rest.size() || !(IsHtmlSpace(rest[at]) || rest[at] == '/' || rest[at] == '>') ||
        !std::binary_search(std::begin(kElements), std::end(kElements),
                            std::string_view(name, at - name_begin))) {
      return 0;
    }
    if (vain_bytes_left_ == 0) return 0;
    bool value = false;  // after '=' and white space
    for (; at < rest.size(); ++at) {
      const char byte = rest[at];
      if (byte == '>') return at + 1;
      if (byte == '<') break;
      if (value && (byte == '"' || byte == '\'')) {
        at = rest.find(byte, at + 1);
        if (at == kNotFound) return Vain(rest.size());
      }
      value = byte == '=' || (value && IsHtmlSpace(byte));
    }
    return Vain(at);
  }

  std::string_view text_;
  size_t vain_bytes_left_;
  bool in_cdata_ = false;
};

/// In ascending order.
constexpr std::string_view kContentAttributes[] = {"alt",  "cite",   "content",     "data",
                                                   "href", "label",  "placeholder", "poster",
                                                   "src",  "srcset", "title",       "value"};
static_assert(std::is_sorted(std::begin(kContentAttributes), std::end(kContentAttributes)));
constexpr std::string_view kSpaces = " \t\n\f\r";

bool IsContentAttribute(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower.starts_with("data-") ||
         std::binary_search(std::begin(kContentAttributes), std::end(kContentAttributes), lower);
}

std::string_view WithoutSpaceBefore(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kSpaces), text.size()));
}

/// Takes the value of an attribute from the front of `rest`, which is after the '='.
std::string_view TakeValue(std::string_view& rest) {
  rest = WithoutSpaceBefore(rest);
  const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
  const char quote = quoted ? rest.front() : ' ';
  if (quoted) rest.remove_prefix(1);
  const size_t end = quoted ? rest.find(quote) : rest.find_first_of(" \t\n\f\r>");
  const std::string_view value = rest.substr(0, end);
  rest.remove_prefix(std::min(value.size() + (quoted ? 1 : 0), rest.size()));
  return value;
}

/// Appends the values of the attributes that are content, of tags that stand one after the other.
void PutValues(std::string_view tags, std::string& out) {
  for (std::string_view rest = tags; !rest.empty();) {
    const size_t end = std::min(rest.find_first_of(" \t\n\f\r=/><"), rest.size());
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(end);
    const std::string_view after = WithoutSpaceBefore(rest);
    if (name.empty() || !after.starts_with('=')) {
      if (name.empty() && !rest.empty()) rest.remove_prefix(1);
      continue;
    }
    rest = after.substr(1);
    const std::string_view value = TakeValue(rest);
    if (IsContentAttribute(name)) out.append(value) += ' ';
  }
}

/// Puts `text` into `out` without its parts that are markup, and appends those that have
/// attributes to `tags`. With `decode`, decodes characters outside of them. Returns whether a '<'
/// came of that.
bool Strip(std::string_view text, bool decode, std::string& out, std::string& tags) {
  MarkupFinder finder(text);
  out.clear();
  bool decoded_bracket = false;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    while (at < text.size() && text[at] != '<' && text[at] != ']' && text[at] != '&') ++at;
    out += text.substr(begin, at - begin);
    if (at == text.size()) break;
    if (text[at] == '&' && decode) {
      const size_t size = PutCharacter(text.substr(at + 1), out);
      if (size == 0) out += '&';
      decoded_bracket = decoded_bracket || (size > 0 && out.back() == '<');
      at += 1 + size;
    } else if (const size_t size = text[at] == '&' ? 0 : finder.SizeAt(at); size > 0) {
      out += ' ';
      const std::string_view part = text.substr(at, size);
      if (IsAsciiLetter(part[1]) && part.find('=') != kNotFound) tags += part;
      at += size;
    } else {
      out += text[at++];
    }
  }
  return decoded_bracket;
}

bool MayHoldMarkup(std::string_view text) {
  return std::memchr(text.data(), '<', text.size()) != nullptr ||
         std::memchr(text.data(), '&', text.size()) != nullptr;
}

}  // namespace

std::string_view MarkupStripper::Strip(std::string_view text) {
  tags_.clear();
  if (!MayHoldMarkup(text)) return text;
  if (!neardup::Strip(text, true, out_, tags_)) return out_;
  escaped_.swap(out_);
  neardup::Strip(escaped_, false, out_, tags_);
  return out_;
}

std::string_view MarkupStripper::Attributes() {
  if (tags_.empty()) return {};
  escaped_.clear();
  PutValues(tags_, escaped_);
  tags_.clear();
  neardup::Strip(escaped_, true, values_, tags_);
  return values_;
}

}  // namespace neardup
