// Cuts texts into tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "detect/feature/character.h"
#include "detect/feature/markup.h"
#include "detect/feature/mask.h"
#include "detect/feature/quote.h"
#include "detect/feature/token_list.h"
#include "neardup/options.h"

namespace neardup {

/// What a tokeniser is given.
enum class TextKind : uint8_t {
  kText,    ///< the text of a field
  kNumber,  ///< a JSON number
  kKey,     ///< the text of a key field
};

/// If the whole of `text`, apart from white space around it, is one number, puts its canonical form
/// into `out` and returns true.
/// FORMAT: digits, point, sign and e may be full-width; minus may also be U+2212. A '+' and the '-'
/// of zero are dropped, and so are zeros at the end of a fraction unless `keep_zeros`. Leading
/// zeros are kept, because they mark identifiers. A number with an exponent only loses full width
/// and upper case.
bool CanonicalNumber(std::string_view text, std::string& out, bool keep_zeros = false);

/// Cuts a text into tokens:
///     TokenList tokens;
///     Tokeniser(true).Tokenise("Hello, <b>World</b>", tokens);  // "hello world "
/// Keeps scratch memory: one instance per thread.
/// FORMAT, in this order:
///   1. With `markup`, characters are decoded and tags removed (markup.h).
///   2. What a text of a field quotes (quote.h) is taken out of it. The tokens of the quote become
///      two, which stand at the end: kQuoteMark, and 8 hex digits of the Hash64 of their text, the
///      upper ones first. So another quote makes another text, and an equal quote does not make
///      two texts alike.
///   3. With masks, each part that a mask takes is one token and divides the text (mask.h).
///   4. A text without such a part that is one number is one token (CanonicalNumber). Only a JSON
///      number loses zeros at the end of its fraction: 1.10 and 1.1 are two versions.
///   5. Any other text is folded (character.h). A token is one character of an unspaced script, a
///      symbol, a sign that is content (IsSignContent), or a longest run of other letters and
///      numbers. Combining marks belong to the token before them; all other characters separate
///      tokens. A longest run of ASCII letters and digits that KeepsCase is not folded if no part
///      of a word outside of ASCII, and nothing that folds to nothing, stands right beside it.
///   6. With the mask for numbers, each token with a digit, also one of step 4, becomes the token
///      of that mask, together with a '+' or '-' right before it.
///   7. With `markup`, a text that has fewer than 12 tokens so far also has the tokens of its
///      attributes (markup.h), by steps 3 to 6.
///   8. A text of step 2 without a token that holds more than white space and control characters is
///      one token: its other characters after NFC.
class Tokeniser {
 public:
  explicit Tokeniser(bool markup, const Masks& masks = {});

  /// Appends the tokens of `text`, which must be valid UTF-8. If texts with equal tokens are not
  /// equal yet, returns what has to be equal instead, followed by a space; else nothing. Valid
  /// until the next call. FORMAT: these are compared as they are, without white space around them:
  ///   - a key of one word, with the characters of step 8;
  ///   - a text of one word of ASCII after step 1 that no mask took part of, unless it is letters
  ///     alone or such with any of .,!?:;'"()[]{} before and after them;
  ///   - the letters of the latter if an upper-case one stands after the first, and a lower-case
  ///     one anywhere: mW is not MW.
  std::string_view Tokenise(std::string_view text, TokenList& tokens,
                            TextKind kind = TextKind::kText);

 private:
  // These return whether a mask took part of the text.
  bool TokeniseParts(std::string_view text, TokenList& tokens, bool keep_zeros);
  bool TokeniseMasked(std::string_view text, TokenList& tokens, bool keep_zeros);
  void TokeniseWhole(std::string_view text, TokenList& tokens, bool keep_zeros);
  void TokeniseWords(std::string_view text, TokenList& tokens);
  void PutQuote(std::string_view quoted, TokenList& tokens);
  /// Moves the tokens of unmasked_ to `tokens`, with numbers masked. Returns whether there are any.
  bool PutNumbersMasked(TokenList& tokens);
  /// Folds character by character. Returns false if neighbours matter; the caller must then drop
  /// the tokens appended so far.
  bool TokeniseByTable(std::string_view text, TokenList& tokens);
  void TokeniseByFolder(std::string_view text, TokenList& tokens);
  /// Appends the letters and digits, or the sign, for which PutAscii stopped at `at`. Returns the
  /// end of them.
  size_t PutByHand(std::string_view text, size_t at, TokenList& tokens);
  void PutSign(std::string_view text, size_t at, size_t end, uint32_t sign, TokenList& tokens);
  /// Whether the letters and digits of ASCII from `begin` to `end` are an identifier.
  bool IsIdentifier(std::string_view text, size_t begin, size_t end) const;
  /// The folded character at `at`, beyond what folds to nothing; 0 at the end. Moves `at` after
  /// it.
  uint32_t FoldedAt(std::string_view text, size_t& at) const;
  bool FollowsHyphen(std::string_view text, size_t at) const;
  /// The text, kept, and a space.
  std::string_view Kept(std::string_view text);
  /// The characters of step 8, in UTF-8.
  std::string_view Composed(std::string_view text);

  bool markup_;
  Masks masks_;
  const FoldTable& table_;
  TextFolder folder_;
  MarkupStripper markup_stripper_;
  QuoteFinder quote_finder_;
  std::string composed_;
  std::string kept_;
  std::string number_;
  TokenList unmasked_;
};

}  // namespace neardup
