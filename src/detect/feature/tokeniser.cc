#include "detect/feature/tokeniser.h"

#include <fmt/format.h>

#include <algorithm>

namespace neardup {
namespace {

constexpr size_t kCodePointBytesMax = 4;
/// A text of fewer tokens may say less than the attributes of its tags.
constexpr size_t kTellingTokens = 12;

/// The ASCII character of a number that `code_point` stands for; 0 if it is no part of a number.
char FoldNumberCharacter(uint32_t code_point) {
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

bool IsUtf8Tail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool IsSpace(uint32_t code_point) {
  return code_point == ' ' || (code_point >= '\t' && code_point <= '\r') || code_point == 0xA0 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x3000;
}

/// Folds the text without outer white space into `out`. Returns false if it is empty or holds a
/// character that is no part of a number.
bool FoldNumber(std::string_view text, std::string& out) {
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
    const char folded = FoldNumberCharacter(code_point);
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

void PutToken(std::string_view token, TokenList& tokens) {
  tokens.Reserve(token.size() + 1);
  tokens.PutBytes(token);
  tokens.EndToken();
}

void PutMask(MaskKind kind, TokenList& tokens) {
  const char byte = static_cast<char>(kind);
  PutToken({&byte, 1}, tokens);
}

/// Whether a folded token has a decimal digit.
bool HasDigit(std::string_view token) {
  const char* at = token.data();
  const char* const end = at + token.size();
  while (at < end) {
    if (IsDigit(DecodeUtf8(at))) return true;
  }
  return false;
}

/// Appends a folded character that is no sign. Needs room for a code point and two spaces.
void Put(uint32_t code_point, CharacterClass character_class, bool& after_single,
         TokenList& tokens) {
  switch (character_class) {
    case CharacterClass::kSeparator:
    case CharacterClass::kSign:
      tokens.EndToken();
      return;
    case CharacterClass::kMark:
      if (tokens.in_token()) tokens.PutCodePoint(code_point);
      return;
    case CharacterClass::kRun:
      if (after_single) tokens.EndToken();
      break;
    case CharacterClass::kSingle:
      tokens.EndToken();
      break;
  }
  tokens.PutCodePoint(code_point);
  after_single = character_class == CharacterClass::kSingle;
}

/// Appends folded text. `next`: the character that follows it; 0: none.
void PutAll(std::span<const int32_t> folded, uint32_t next, TokenList& tokens) {
  bool after_single = false;
  const auto at = [folded, next](size_t i) {
    if (i < folded.size()) return static_cast<uint32_t>(folded[i]);
    return i == folded.size() ? next : 0;
  };
  for (size_t i = 0; i < folded.size(); ++i) {
    CharacterClass character_class = ClassOf(at(i));
    if (character_class == CharacterClass::kSign) {
      const SignPlace place{.after_run = tokens.in_token() && !after_single,
                            .after_hyphen = i > 0 && folded[i - 1] == '-',
                            .next = at(i + 1),
                            .second = at(i + 2)};
      if (IsSignContent(at(i), place)) character_class = CharacterClass::kSingle;
    }
    Put(at(i), character_class, after_single, tokens);
  }
  // No mark follows: a text with marks is folded as a whole.
  if (after_single) tokens.EndToken();
}

bool IsWordByte(char c) { return IsAsciiLetter(c) || IsAsciiDigit(c); }

bool IsAsciiSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view WithoutOuterSpace(std::string_view text) {
  while (!text.empty() && IsAsciiSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsAsciiSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view WithoutOuterPunctuation(std::string_view word) {
  static constexpr std::string_view kPunctuation = ".,!?:;'\"()[]{}";
  const auto is_punctuation = [](char c) { return kPunctuation.find(c) != std::string_view::npos; };
  while (!word.empty() && is_punctuation(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_punctuation(word.back())) word.remove_suffix(1);
  return word;
}

/// What has to be equal of a text that is one word of ASCII; nothing if its tokens have to be, or
/// if it is another text.
std::string_view WordAsItIs(std::string_view text) {
  text = WithoutOuterSpace(text);
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; })) return {};
  const std::string_view core = WithoutOuterPunctuation(text);
  if (core.empty()) return {};
  if (!std::all_of(core.begin(), core.end(), IsAsciiLetter)) return text;
  const auto is_upper = [](char c) { return c <= 'Z'; };
  const bool is_mixed = std::any_of(core.begin() + 1, core.end(), is_upper) &&
                        !std::all_of(core.begin(), core.end(), is_upper);
  return is_mixed ? core : std::string_view();
}

/// Whether white space stands in the text, apart from white space around it.
bool IsOneWord(std::string_view text) {
  bool ended = false;
  bool begun = false;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    const uint32_t code_point = DecodeUtf8(at);
    const bool is_space = IsSpace(code_point) || code_point < ' ';
    if (!is_space && ended) return false;
    begun = begun || !is_space;
    ended = begun && is_space;
  }
  return begun;
}

}  // namespace

bool CanonicalNumber(std::string_view text, std::string& out, bool keep_zeros) {
  if (!FoldNumber(text, out)) return false;
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
  if (has_fraction && !keep_zeros) DropFractionZeros(out);
  const bool is_zero = out.find_first_of("123456789") == std::string::npos;
  if (is_signed && (out.front() == '+' || is_zero)) out.erase(0, 1);
  return true;
}

Tokeniser::Tokeniser(bool markup, const Masks& masks)
    : markup_(markup), masks_(masks), table_(FoldTable::Get()) {}

std::string_view Tokeniser::Tokenise(std::string_view text, TokenList& tokens, TextKind kind) {
  if (text.empty()) return {};
  const std::string_view written = text;
  if (markup_) text = markup_stripper_.Strip(text);
  const bool keep_zeros = kind != TextKind::kNumber;
  std::string_view quoted;
  if (kind == TextKind::kText) {
    const QuotedText parts = quote_finder_.Find(text);
    text = parts.own;
    quoted = parts.quoted;
  }
  const size_t token_count = tokens.token_count();
  bool more = TokeniseParts(text, tokens, keep_zeros);
  if (markup_ && tokens.token_count() - token_count < kTellingTokens) {
    const std::string_view attributes = markup_stripper_.Attributes();
    if (!attributes.empty()) {
      TokeniseParts(attributes, tokens, keep_zeros);
      more = true;
    }
  }
  if (tokens.token_count() == token_count) PutToken(Composed(text), tokens);
  if (!quoted.empty()) PutQuote(quoted, tokens);
  if (kind == TextKind::kNumber || more || !quoted.empty()) return {};
  if (kind != TextKind::kKey) return Kept(WordAsItIs(text));
  return IsOneWord(written) ? Kept(Composed(written)) : std::string_view();
}

bool Tokeniser::TokeniseParts(std::string_view text, TokenList& tokens, bool keep_zeros) {
  if (masks_.any()) return TokeniseMasked(text, tokens, keep_zeros);
  TokeniseWhole(text, tokens, keep_zeros);
  return false;
}

void Tokeniser::PutQuote(std::string_view quoted, TokenList& tokens) {
  const size_t size = tokens.size();
  const size_t token_count = tokens.token_count();
  TokeniseParts(quoted, tokens, true);
  const uint64_t hash = Hash64(tokens.TextFrom(size));
  tokens.Truncate(size, token_count);
  for (const uint64_t half : {hash >> 32, hash & UINT32_MAX}) {
    PutToken(fmt::format("{}{:08x}", kQuoteMark, half), tokens);
  }
}

std::string_view Tokeniser::Kept(std::string_view text) {
  if (text.empty()) return {};
  kept_.assign(text);
  kept_ += ' ';
  return kept_;
}

bool Tokeniser::TokeniseMasked(std::string_view text, TokenList& tokens, bool keep_zeros) {
  TokenList& target = masks_.number ? unmasked_ : tokens;
  auto part = FindMaskedPart(text, 0, masks_);
  bool masked = part.has_value();
  if (!part) TokeniseWhole(text, target, keep_zeros);
  size_t at = 0;
  for (; part; part = FindMaskedPart(text, at, masks_)) {
    TokeniseWords(text.substr(at, part->begin - at), target);
    PutMask(part->kind, target);
    at = part->end;
  }
  if (at > 0) TokeniseWords(text.substr(at), target);
  if (masks_.number && PutNumbersMasked(tokens)) masked = true;
  return masked;
}

bool Tokeniser::PutNumbersMasked(TokenList& tokens) {
  bool masked = false;
  std::string_view rest = unmasked_.TextFrom(0);
  while (!rest.empty()) {
    const std::string_view token = rest.substr(0, rest.find(' '));
    rest.remove_prefix(token.size() + 1);
    if (HasDigit(token)) {
      PutMask(MaskKind::kNumber, tokens);
      masked = true;
      continue;
    }
    const bool is_sign = token == "+" || token == "-";
    if (is_sign && HasDigit(rest.substr(0, rest.find(' ')))) continue;
    PutToken(token, tokens);
  }
  unmasked_.Clear();
  return masked;
}

void Tokeniser::TokeniseWhole(std::string_view text, TokenList& tokens, bool keep_zeros) {
  if (CanonicalNumber(text, number_, keep_zeros)) {
    PutToken(number_, tokens);
    return;
  }
  TokeniseWords(text, tokens);
}

void Tokeniser::TokeniseWords(std::string_view text, TokenList& tokens) {
  const size_t size = tokens.size();
  const size_t token_count = tokens.token_count();
  if (TokeniseByTable(text, tokens)) return;
  tokens.Truncate(size, token_count);
  TokeniseByFolder(text, tokens);
}

bool Tokeniser::TokeniseByTable(std::string_view text, TokenList& tokens) {
  const char* at = text.data();
  const char* const end = at + text.size();
  // A character with the spaces around it folds to at most twice its size; expansions make room for
  // themselves.
  tokens.Reserve(2 * text.size() + kCodePointBytesMax);
  while (at < end) {
    if (IsAscii(*at)) {
      at += tokens.PutAscii({at, static_cast<size_t>(end - at)});
      if (at < end && IsAscii(*at)) {
        at = text.data() + PutByHand(text, static_cast<size_t>(at - text.data()), tokens);
      }
      continue;
    }
    const char* next = at;
    const uint32_t code_point = DecodeUtf8(next);
    if (code_point >= table_.han().first && code_point <= table_.han().last) {
      tokens.EndToken();
      at += tokens.PutSingles({at, static_cast<size_t>(end - at)}, table_.han());
      continue;
    }
    const char* const begin = at;
    at = next;
    const FoldTable::Fold fold = table_.Find(code_point);
    switch (fold.kind) {
      case FoldTable::Kind::kSign:
        PutSign(text, static_cast<size_t>(begin - text.data()),
                static_cast<size_t>(at - text.data()), fold.value, tokens);
        break;
      case FoldTable::Kind::kSeparator:
        tokens.EndToken();
        break;
      case FoldTable::Kind::kRun:
        tokens.PutCodePoint(fold.value);
        break;
      case FoldTable::Kind::kSingle:
        tokens.EndToken();
        tokens.PutCodePoint(fold.value);
        tokens.EndToken();
        break;
      case FoldTable::Kind::kIgnored:
        break;
      case FoldTable::Kind::kExpansion: {
        const auto expansion = table_.expansion(fold.value);
        const size_t rest = static_cast<size_t>(end - at);
        tokens.Reserve((kCodePointBytesMax + 2) * expansion.size() + 2 * rest + kCodePointBytesMax);
        PutAll(expansion, 0, tokens);
        break;
      }
      case FoldTable::Kind::kContextual:
        return false;
    }
  }
  tokens.EndToken();
  return true;
}

void Tokeniser::TokeniseByFolder(std::string_view text, TokenList& tokens) {
  const auto put = [&](size_t begin, size_t end, uint32_t next) {
    const auto folded = folder_.Fold(text.substr(begin, end - begin));
    tokens.Reserve((kCodePointBytesMax + 2) * folded.size() + 1);
    PutAll(folded, next, tokens);
  };
  size_t done = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!IsWordByte(text[at])) continue;
    const size_t begin = at;
    while (at < text.size() && IsWordByte(text[at])) ++at;
    if (!IsIdentifier(text, begin, at)) continue;
    put(done, begin, static_cast<unsigned char>(text[begin]));
    tokens.Reserve(at - begin + 1);
    tokens.PutBytes(text.substr(begin, at - begin));
    done = at;
    --at;
  }
  put(done, text.size(), 0);
  tokens.EndToken();
}

size_t Tokeniser::PutByHand(std::string_view text, size_t at, TokenList& tokens) {
  if (!IsWordByte(text[at])) {
    PutSign(text, at, at + 1, static_cast<unsigned char>(text[at]), tokens);
    return at + 1;
  }
  size_t end = at;
  while (end < text.size() && IsWordByte(text[end])) ++end;
  size_t begin = at;
  while (begin > 0 && at - begin < tokens.token().size() && IsWordByte(text[begin - 1])) --begin;
  const bool is_whole = at - begin == tokens.token().size();
  if (is_whole && IsIdentifier(text, begin, end)) {
    tokens.DropToken();
    tokens.PutBytes(text.substr(begin, end - begin));
    return end;
  }
  for (; at < end; ++at) {
    const char byte = text[at];
    tokens.PutCodePoint(static_cast<unsigned char>(IsAsciiDigit(byte) ? byte : byte | 0x20));
  }
  return end;
}

void Tokeniser::PutSign(std::string_view text, size_t at, size_t end, uint32_t sign,
                        TokenList& tokens) {
  bool is_content = ClassOf(sign) == CharacterClass::kSingle;
  if (!is_content) {
    SignPlace place{.after_run = tokens.in_token(), .after_hyphen = FollowsHyphen(text, at)};
    place.next = FoldedAt(text, end);
    if (place.next == '.') place.second = FoldedAt(text, end);
    is_content = IsSignContent(sign, place);
  }
  tokens.EndToken();
  if (!is_content) return;
  tokens.PutCodePoint(sign);
  tokens.EndToken();
}

bool Tokeniser::IsIdentifier(std::string_view text, size_t begin, size_t end) const {
  if (!KeepsCase(text.substr(begin, end - begin))) return false;
  const auto divides = [this](uint32_t code_point) {
    const FoldTable::Kind kind = table_.Find(code_point).kind;
    return kind == FoldTable::Kind::kSeparator || kind == FoldTable::Kind::kSingle ||
           kind == FoldTable::Kind::kSign;
  };
  if (begin > 0) {
    const char* before = text.data() + begin - 1;
    while (IsUtf8Tail(*before)) --before;
    if (!divides(DecodeUtf8(before))) return false;
  }
  const char* after = text.data() + end;
  return end == text.size() || divides(DecodeUtf8(after));
}

uint32_t Tokeniser::FoldedAt(std::string_view text, size_t& at) const {
  while (at < text.size()) {
    const char* next = text.data() + at;
    const FoldTable::Fold fold = table_.Find(DecodeUtf8(next));
    at = static_cast<size_t>(next - text.data());
    if (fold.kind == FoldTable::Kind::kIgnored) continue;
    if (fold.kind != FoldTable::Kind::kExpansion) return fold.value;
    return static_cast<uint32_t>(table_.expansion(fold.value).front());
  }
  return 0;
}

bool Tokeniser::FollowsHyphen(std::string_view text, size_t at) const {
  while (at > 0) {
    do --at;
    while (IsUtf8Tail(text[at]));
    const char* character = text.data() + at;
    const FoldTable::Fold fold = table_.Find(DecodeUtf8(character));
    if (fold.kind != FoldTable::Kind::kIgnored) {
      return fold.kind == FoldTable::Kind::kSign && fold.value == '-';
    }
  }
  return false;
}

std::string_view Tokeniser::Composed(std::string_view text) {
  composed_.clear();
  for (const int32_t code_point : folder_.Compose(text)) {
    char bytes[kCodePointBytesMax];
    composed_.append(bytes, EncodeUtf8(static_cast<uint32_t>(code_point), bytes));
  }
  return composed_;
}

}  // namespace neardup
