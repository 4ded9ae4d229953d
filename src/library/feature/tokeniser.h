// Cuts texts into tokens.
#pragma once

#include <string>
#include <string_view>

#include "feature/character.h"
#include "feature/mask.h"
#include "feature/token_list.h"
#include "neardup/options.h"

namespace neardup {

/// If the whole of `text`, apart from white space around it, is one number, puts its canonical form
/// into `out` and returns true.
/// FORMAT: digits, point, sign and e may be full-width; minus may also be U+2212. A '+', the '-' of
/// zero, and zeros at the end of a fraction are dropped. Leading zeros are kept, because they mark
/// identifiers. A number with an exponent only loses full width and upper case.
bool CanonicalNumber(std::string_view text, std::string& out);

/// Cuts a text into tokens:
///     TokenList tokens;
///     Tokeniser(true).Tokenise("Hello, <b>World</b>", tokens);  // "hello world "
/// Keeps scratch memory: one instance per thread.
/// FORMAT, in this order:
///   1. With `markup`, StripMarkup decodes entities and removes tags (markup.h).
///   2. With masks, each part that a mask takes is one token and divides the text (mask.h).
///   3. A text without such a part that is one number is one token (CanonicalNumber).
///   4. Any other text is folded (character.h). A token is one letter of an unspaced script, or a
///      longest run of other letters and numbers. Combining marks belong to the token before them;
///      all other characters separate tokens.
///   5. With the mask for numbers, each token with a digit, also one of step 3, becomes the token
///   of
///      that mask.
class Tokeniser {
 public:
  explicit Tokeniser(bool markup, const Masks& masks = {});

  /// Appends the tokens of `text`, which must be valid UTF-8.
  void Tokenise(std::string_view text, TokenList& tokens);

 private:
  void TokeniseMasked(std::string_view text, TokenList& tokens);
  void TokeniseWhole(std::string_view text, TokenList& tokens);
  void TokeniseWords(std::string_view text, TokenList& tokens);
  /// Moves the tokens of unmasked_ to `tokens`, with numbers masked.
  void PutNumbersMasked(TokenList& tokens);
  /// Folds character by character. Returns false if neighbours matter; the caller must then drop
  /// the tokens appended so far.
  bool TokeniseByTable(std::string_view text, TokenList& tokens);
  void TokeniseByFolder(std::string_view text, TokenList& tokens);

  bool markup_;
  Masks masks_;
  const FoldTable& table_;
  TextFolder folder_;
  std::string stripped_;
  std::string number_;
  TokenList unmasked_;
};

}  // namespace neardup
