#include "feature/tokeniser.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "feature/character.h"
#include "feature/markup.h"

namespace neardup {

namespace {

constexpr size_t kCodePointBytesMax = 4;

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

bool IsSpace(uint32_t code_point) {
  return code_point == ' ' || (code_point >= '\t' && code_point <= '\r') || code_point == 0xA0 ||
         code_point == 0x3000;
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

/// Appends a folded character. Needs room for a code point and two spaces.
void Put(uint32_t code_point, CharacterClass character_class, bool& after_single,
         TokenList& tokens) {
  switch (character_class) {
    case CharacterClass::kSeparator:
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

void PutAll(std::span<const int32_t> folded, TokenList& tokens) {
  bool after_single = false;
  for (const int32_t code_point : folded) {
    Put(static_cast<uint32_t>(code_point), ClassOf(static_cast<uint32_t>(code_point)), after_single,
        tokens);
  }
  // No mark follows: a text with marks is folded as a whole.
  if (after_single) tokens.EndToken();
}

}  // namespace

bool CanonicalNumber(std::string_view text, std::string& out) {
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
  if (has_fraction) DropFractionZeros(out);
  const bool is_zero = out.find_first_of("123456789") == std::string::npos;
  if (is_signed && (out.front() == '+' || is_zero)) out.erase(0, 1);
  return true;
}

Tokeniser::Tokeniser(bool markup, const Masks& masks)
    : markup_(markup), masks_(masks), table_(FoldTable::Get()) {}

void Tokeniser::Tokenise(std::string_view text, TokenList& tokens) {
  if (text.empty()) return;
  if (markup_ && MayHoldMarkup(text)) {
    StripMarkup(text, stripped_);
    text = stripped_;
  }
  if (masks_.any()) {
    TokeniseMasked(text, tokens);
  } else {
    TokeniseWhole(text, tokens);
  }
}

void Tokeniser::TokeniseMasked(std::string_view text, TokenList& tokens) {
  TokenList& target = masks_.number ? unmasked_ : tokens;
  auto part = FindMaskedPart(text, 0, masks_);
  if (!part) TokeniseWhole(text, target);
  size_t at = 0;
  for (; part; part = FindMaskedPart(text, at, masks_)) {
    TokeniseWords(text.substr(at, part->begin - at), target);
    PutMask(part->kind, target);
    at = part->end;
  }
  if (at > 0) TokeniseWords(text.substr(at), target);
  if (masks_.number) PutNumbersMasked(tokens);
}

void Tokeniser::PutNumbersMasked(TokenList& tokens) {
  std::string_view rest = unmasked_.TextFrom(0);
  while (!rest.empty()) {
    const std::string_view token = rest.substr(0, rest.find(' '));
    rest.remove_prefix(token.size() + 1);
    if (HasDigit(token)) {
      PutMask(MaskKind::kNumber, tokens);
      continue;
    }
    PutToken(token, tokens);
  }
  unmasked_.Clear();
}

void Tokeniser::TokeniseWhole(std::string_view text, TokenList& tokens) {
  if (CanonicalNumber(text, number_)) {
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
      continue;
    }
    const char* next = at;
    const uint32_t code_point = DecodeUtf8(next);
    if (code_point >= table_.han().first && code_point <= table_.han().last) {
      tokens.EndToken();
      at += tokens.PutSingles({at, static_cast<size_t>(end - at)}, table_.han());
      continue;
    }
    at = next;
    const FoldTable::Fold fold = table_.Find(code_point);
    switch (fold.kind) {
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
        PutAll(expansion, tokens);
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
  const auto folded = folder_.Fold(text);
  tokens.Reserve((kCodePointBytesMax + 2) * folded.size() + 1);
  PutAll(folded, tokens);
  tokens.EndToken();
}

}  // namespace neardup
