#include "detect/feature/markup.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

#include "detect/base/each_of.h"

namespace neardup {
namespace {

std::string Strip(std::string_view text) {
  MarkupStripper stripper;
  return std::string(stripper.Strip(text));
}

TEST(Markup, RemovesTagsOfHtml) {
  EXPECT_EQ(Strip("<p>a<br/>b</p>"), " a b ");
  EXPECT_EQ(Strip("<a href=\"x?y=1\">link</a>"), " link ");
  EXPECT_EQ(Strip("<H1\nclass=big>a</H1 ><font color=red>b</font>"), " a  b ");
  EXPECT_EQ(Strip("<svg width='5'>a</svg><math>b</math>"), " a  b ");
  EXPECT_EQ(Strip("no tags"), "no tags");
}

TEST(Markup, RemovesATagUpToTheBracketThatIsInNoQuotes) {
  EXPECT_EQ(Strip("<img alt=\"5 > 4\" title = '<b>'>a"), " a");
  EXPECT_EQ(Strip("<img alt=it's>a<img alt='b'>"), " a ");
  const std::string data(100'000, 'A');
  EXPECT_EQ(Strip("<img src=\"data:" + data + "\">a"), " a");
}

TEST(Markup, RemovesCommentsDeclarationsAndInstructions) {
  EXPECT_EQ(Strip("a<!-- b > c -->d<!---->e<!-->f"), "a d e f");
  EXPECT_EQ(Strip("<?xml version=\"1.0\"?><!DOCTYPE html>a"), "  a");
}

TEST(Markup, KeepsTheTextOfCdata) {
  EXPECT_EQ(Strip("<![CDATA[a < b <i>c</i>]]>d"), " a < b  c  d");
  EXPECT_EQ(Strip("x[y[1]]>2"), "x[y[1]]>2");
}

TEST(Markup, LeavesBracketsThatAreNoTag) {
  for (const char* text :
       EachOf("a > b", "a < b and b > c", "a << b <c> d > e", "I <3 tea -> here",
              "map<Key, List<T>> x", "#include <vector>", "ann <ann@example.org>", "<>", "< p>",
              "</ p>", "<p", "<p x=\"y>z", "<pq>", "<b<i", "<!-- open", "<!doctyped>", "<?php x ?>",
              "<", "a<", "</", "<!", "<?", "<blockquotes>", "x <y> z", "<\u00e9>")) {
    EXPECT_EQ(Strip(text), text);
  }
}

TEST(Markup, KnowsWhatTheAttributesOfTheRemovedTagsSay) {
  const auto attributes = [](std::string_view text) {
    MarkupStripper stripper;
    stripper.Strip(text);
    return std::string(stripper.Attributes());
  };
  EXPECT_EQ(attributes("<img class=big src='a.png' ALT = \"Red shoe\" hidden>x"),
            "a.png Red shoe ");
  EXPECT_EQ(attributes("<a href=/7>x</a><div data-price=\"9 &lt; 10\"/>"), "/7 9 < 10 ");
  EXPECT_EQ(attributes("&lt;a href=\"b\"&gt;x"), "b ");
  EXPECT_EQ(attributes("<p style=\"color: red\" id=x>"), "");
  EXPECT_EQ(attributes("<a x=\"src=a\" src>"), "");
  EXPECT_EQ(attributes("<a href=>b"), " ");
  EXPECT_EQ(attributes("<!-- <a href=b> -->c]]>"), "");
  EXPECT_EQ(attributes("no tags, alt=5"), "");
  EXPECT_EQ(attributes("<q href=5 < 6"), "") << "no tag";
}

TEST(Markup, DecodesCharacters) {
  const std::pair<const char*, const char*> cases[] = {
      {"a&amp;b", "a&b"},
      {"&quot;&apos;", "\"'"},
      {"caf&eacute;", "caf\u00e9"},
      {"&nbsp;", "\u00a0"},
      {"&Zcaron;&omega;", "\u017d\u03c9"},
      {"&CounterClockwiseContourIntegral;", "\u2233"},
      {"&NotEqualTilde;", "\u2242\u0338"},
      {"&#65;&#x42;&#X43;", "ABC"},
      {"&#20013;", "中"},
      {"&#x1F600;", "\U0001F600"},
      {"&#128;&#x9a;&#129;", "\u20ac\u0161\u0081"}};
  for (const auto& [text, decoded] : cases) EXPECT_EQ(Strip(text), decoded);
}

TEST(Markup, DecodesTheOldNamesWithoutSemicolon) {
  EXPECT_EQ(Strip("&copy 2020, caf&eacute, x&ampy, &notit;"), "© 2020, café, x&y, \u00acit;");
  EXPECT_EQ(Strip("&omega x"), "&omega x");
  EXPECT_EQ(Strip("&notin;"), "\u2209");
}

TEST(Markup, DecodesCharactersOnce) { EXPECT_EQ(Strip("&amp;amp;eacute;"), "&amp;eacute;"); }

TEST(Markup, RemovesTagsThatWereWrittenWithNames) {
  EXPECT_EQ(Strip("&lt;p&gt;text&#60;/p&#62;"), " text ");
  EXPECT_EQ(Strip("&lt;p&gt;Q&amp;amp;A&lt;/p&gt;"), " Q&amp;A ");
  EXPECT_EQ(Strip("at &lt; 0 rain, at &gt; 20 sun"), "at < 0 rain, at > 20 sun");
}

TEST(Markup, LeavesTextThatIsNoCharacter) {
  for (const char* text :
       {"a & b", "&", "&;", "&unknown;", "&#;", "&#x;", "&#0;", "&#xD800;", "&#x110000;",
        "&#99999999999;", "&#-5;", "&#65", "&averyverylongname;", "AT&T; x", "a &&& b"}) {
    EXPECT_EQ(Strip(text), text);
  }
}

TEST(Markup, ReturnsATextWithoutMarkupItself) {
  const std::string text = "plain > text;";
  MarkupStripper stripper;
  EXPECT_EQ(stripper.Strip(text).data(), text.data());
}

TEST(Markup, IsFoundInLinearTime) {
  constexpr size_t kBytes = 1 << 20;
  for (const std::string part :
       {"<", "&", "<p ", "<a x=\"", "<a x='\"", "<a y\" x=\"", "<!--", "<![CDATA[", "]]>", "<?xml",
        "<!doctype ", "&lt;a x=&quot;", "&#", "&lt;"}) {
    std::string text;
    while (text.size() < kBytes) text += part;
    EXPECT_LE(Strip(text).size(), text.size());
  }
}

TEST(Markup, NeverMakesATextLonger) {
  constexpr uint32_t kSeed = 20260131;
  std::mt19937 random(kSeed);
  const std::string parts[] = {"<",    ">",   "/",   "p",    "b ",  "=",    "\"",  "'",
                               "<!--", "-->", "&lt", "&gt;", "&#6", "2;",   "]]>", "<![CDATA[",
                               "é",    "中",  "&",   "?>",   " x",  "<?xml"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (size_t i = random() % 30; i > 0; --i) text += parts[random() % std::size(parts)];
    const std::string stripped = Strip(text);
    ASSERT_LE(stripped.size(), text.size()) << "seed " << kSeed << " text " << text;
  }
}

}  // namespace
}  // namespace neardup
