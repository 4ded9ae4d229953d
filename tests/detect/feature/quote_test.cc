#include "detect/feature/quote.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "detect/base/each_of.h"
#include "detect/feature/tokeniser.h"

namespace neardup {
namespace {

using Parts = std::pair<std::string, std::string>;

Parts Find(std::string_view text) {
  QuoteFinder finder;
  const QuotedText parts = finder.Find(text);
  return {std::string(parts.own), std::string(parts.quoted)};
}

std::string Tokens(std::string_view text) {
  Tokeniser tokeniser(true);
  TokenList tokens;
  tokeniser.Tokenise(text, tokens);
  return std::string(tokens.TextFrom(0));
}

TEST(Quote, IsTheLinesThatBeginWithABracket) {
  EXPECT_EQ(Find("I agree.\n> Shall we go?\n> Soon?"), Parts("I agree.\n", "Shall we go?\nSoon?"));
  EXPECT_EQ(Find("> one\r\n  > two\r\nno\r\n>> three"), Parts("no\r\n", "one\r\ntwo\r\nthree"));
}

TEST(Quote, IsAMessageBelowALineOfDashesWithItsHeaders) {
  const std::string message = "From: Ann\nSent: Monday\nTo: Bob\n\nShall we go?\n";
  EXPECT_EQ(Find("I agree.\n-----Original Message-----\n" + message), Parts("I agree.\n", message));
  EXPECT_EQ(Find("Siehe unten.\n---- Weitergeleitete Nachricht ----\nVon: A\nAn: B\nBetreff: C\n"),
            Parts("Siehe unten.\n", "Von: A\nAn: B\nBetreff: C\n"));
}

TEST(Quote, IsNothingInOtherTexts) {
  for (const char* text :
       EachOf("", "> one line", "> all\n> lines\n", "a > b\nb > a\n", "no quote\nat all",
              "heading\n---\ntext: of the page\n", "a\n---------\nFrom: A\nTo: B\nSubject: C\n",
              "a\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\ntext\n",
              "a\n--- part ---\nsee here: A\nand there: B\nnot here: C\n",
              "much more that the text says itself than that\n> it quotes\n")) {
    EXPECT_EQ(Find(text), Parts(text, "")) << text;
  }
}

TEST(Quote, BecomesTwoTokensThatDependOnItsContentAlone) {
  const std::string reply = Tokens("I agree.\n\n> Shall we go\n> by train?");
  EXPECT_EQ(reply.substr(0, 9), "i agree >");
  EXPECT_EQ(reply.size(), std::string("i agree >01234567 >01234567 ").size());
  EXPECT_EQ(Tokens("I agree.\n\n>> SHALL we\n> > go by train"), reply);
  EXPECT_EQ(Tokens("<p>I agree.</p>\n&gt; shall we go\n&gt; by train\n"), reply);
  EXPECT_NE(Tokens("I agree.\n\n> Shall we go\n> by bus?"), reply);
  EXPECT_NE(Tokens("I disagree.\n\n> Shall we go\n> by train?"), reply);
}

TEST(Quote, OfAKeyStaysAsItIs) {
  Tokeniser tokeniser(true);
  TokenList tokens;
  tokeniser.Tokenise("a\n> b", tokens, TextKind::kKey);
  EXPECT_EQ(tokens.TextFrom(0), "a > b ");
}

}  // namespace
}  // namespace neardup
