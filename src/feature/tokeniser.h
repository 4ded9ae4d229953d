// Text -> tokens.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "feature/character.h"
#include "feature/token_list.h"

namespace neardup {

/// FORMAT, in this order:
///   1. with `markup`: entities are decoded and tags taken out (markup.h);
///   2. a text that is wholly a number is one token (number.h);
///   3. else the text is folded (character.h), and a token is a letter of an unspaced script, or a
///      longest run of other letters and numbers; marks belong to the token before them, and what
///      else there is separates.
/// Keeps scratch memory: one instance per thread.
class Tokeniser {
 public:
  explicit Tokeniser(bool markup);

  /// Adds the tokens of `text`, which must be valid UTF-8.
  void Tokenise(std::string_view text, TokenList& tokens);

 private:
  /// Character by character; false when neighbours matter: then the tokens are to be thrown away.
  bool TokeniseByTable(std::string_view text, TokenList& tokens);
  void TokeniseByFolder(std::string_view text, TokenList& tokens);

  bool markup_;
  const FoldTable& table_;
  /// Folded letters and digits of ASCII; 0 for all other bytes.
  std::array<char, 256> ascii_{};
  TextFolder folder_;
  std::string stripped_;
  std::string number_;
};

}  // namespace neardup
