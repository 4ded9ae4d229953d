// Tells what a message says itself from what it quotes of another message.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

/// Begins the tokens that stand for a quote. No other token holds it and hex digits.
inline constexpr char kQuoteMark = '>';

/// The two parts of a text that quotes.
struct QuotedText {
  std::string_view own;     ///< what the text says itself
  std::string_view quoted;  ///< what it quotes; empty if it quotes nothing that matters
};

/// Whether the text of a TokenList holds a token that stands for a quote.
bool HoldsQuote(std::string_view token_text);

/// Finds quotes in texts. Keeps scratch memory: one instance per thread.
/// FORMAT: quoted are
///   - lines that begin with '>' after spaces and tabs, in a text of more than one line, without
///     the '>', spaces and tabs at their beginning;
///   - all after a line of which at least three '-' stand at both ends and something else between
///     them, if the next three lines are headers: a word of at most 20 bytes, and ':'.
/// The line ends of the parts stay. A quote matters if there is anything else that is not white
/// space, and if the quote has at least half as many bytes as that.
class QuoteFinder {
 public:
  /// The parts are valid until the next call, or parts of `text`. Without a quote, `own` is `text`.
  QuotedText Find(std::string_view text);

 private:
  std::string own_;
  std::string quoted_;
};

}  // namespace neardup
