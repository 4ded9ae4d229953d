// Texts that are wholly a number.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "feature/character.h"
#include "feature/mask.h"
#include "feature/text_features.h"
#include "neardup/options.h"

namespace neardup {

/// When `text`, white space around it aside, is one number, puts its canonical form into `out` and
/// returns true. FORMAT: digits, point, sign and e may be full-width, minus also U+2212; the sign
/// '-' is kept except for zero, '+' is dropped, zeros at the end of the fraction are dropped, zeros
/// in front are kept (they mark identifiers). A number with an exponent stays as written, but for
/// width and case.
bool CanonicalNumber(std::string_view text, std::string& out);

// Text -> tokens.

/// FORMAT, in this order:
///   1. with `markup`: entities are decoded and tags taken out (markup.h);
///   2. with masks: the parts they take are one token each and divide the text (mask.h);
///   3. a text without such a part that is wholly a number is one token (number.h);
///   4. else the text is folded (character.h), and a token is a letter of an unspaced script, or a
///      longest run of other letters and numbers; marks belong to the token before them, and what
///      else there is separates;
///   5. with the mask for numbers: each token with a digit, also that of 3, becomes the token of
///      numbers.
/// Keeps scratch memory: one instance per thread.
class Tokeniser {
 public:
  explicit Tokeniser(bool markup, const Masks& masks = {});

  /// Adds the tokens of `text`, which must be valid UTF-8.
  void Tokenise(std::string_view text, TokenList& tokens);

 private:
  void TokeniseMasked(std::string_view text, TokenList& tokens);
  void TokeniseWhole(std::string_view text, TokenList& tokens);
  void TokeniseWords(std::string_view text, TokenList& tokens);
  /// Takes over the tokens of unmasked_ and empties it.
  void PutNumbersMasked(TokenList& tokens);
  /// Character by character; false when neighbours matter: then the tokens are to be thrown away.
  bool TokeniseByTable(std::string_view text, TokenList& tokens);
  void TokeniseByFolder(std::string_view text, TokenList& tokens);

  bool markup_;
  Masks masks_;
  const FoldTable& table_;
  /// Folded letters and digits of ASCII; 0 for all other bytes.
  std::array<char, 256> ascii_{};
  TextFolder folder_;
  std::string stripped_;
  std::string number_;
  TokenList unmasked_;
};

}  // namespace neardup
