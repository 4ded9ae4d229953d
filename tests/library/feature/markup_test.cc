#include "feature/markup.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace neardup {
namespace {

std::string Strip(std::string_view text) {
  std::string out;
  StripMarkup(text, out);
  return out;
}

TEST(Markup, RemovesTags) {
  EXPECT_EQ(Strip("<p>a<br/>b</p>"), " a b ");
  EXPECT_EQ(Strip("<a href=\"x?y=1\">link</a>"), " link ");
  EXPECT_EQ(Strip("no tags"), "no tags");
  EXPECT_EQ(Strip("<>"), " ");
}

TEST(Markup, LeavesBracketsThatAreNoTag) {
  EXPECT_EQ(Strip("a > b"), "a > b");
  EXPECT_EQ(Strip("a < b"), "a < b");
  EXPECT_EQ(Strip("a << b <c> d > e"), "a << b   d > e");
}

TEST(Markup, RemovesTagsOfUpTo200Characters) {
  const auto repeat = [](const std::string& character, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += character;
    return text;
  };
  for (const std::string character : {"x", "\u00e9", "中", "\U0001F600"}) {
    EXPECT_EQ(Strip("<" + repeat(character, 200) + ">"), " ");
    const std::string longer = "<" + repeat(character, 201) + ">";
    EXPECT_EQ(Strip(longer), longer);
  }
}

TEST(Markup, DecodesEntities) {
  const std::pair<const char*, const char*> cases[] = {
      {"a&amp;b", "a&b"},    {"&quot;&apos;", "\"'"},    {"caf&eacute;", "caf\u00e9"},
      {"&nbsp;", "\u00a0"},  {"&yuml;", "\u00ff"},       {"&times;", "\u00d7"},
      {"&mdash;", "\u2014"}, {"&hellip;", "\u2026"},     {"&#65;&#x42;&#X43;", "ABC"},
      {"&#20013;", "中"},    {"&#x1F600;", "\U0001F600"}};
  for (const auto& [text, decoded] : cases) EXPECT_EQ(Strip(text), decoded);
}

TEST(Markup, DecodesEntitiesOnce) { EXPECT_EQ(Strip("&amp;amp;eacute;"), "&amp;eacute;"); }

TEST(Markup, RemovesTagsThatWereWrittenWithEntities) {
  EXPECT_EQ(Strip("&lt;p&gt;text&#60;/p&#62;"), " text ");
}

TEST(Markup, LeavesTextThatIsNoEntity) {
  for (const char* text :
       {"a & b", "&", "&;", "&unknown;", "&#;", "&#x;", "&#0;", "&#xD800;", "&#x110000;",
        "&#99999999999;", "&#-5;", "&amp", "&averyverylongname;", "AT&T; x"}) {
    EXPECT_EQ(Strip(text), text);
  }
}

TEST(Markup, IsLookedForOnlyInTextsThatMayHoldIt) {
  EXPECT_FALSE(MayHoldMarkup("plain > text;"));
  EXPECT_TRUE(MayHoldMarkup("a<b"));
  EXPECT_TRUE(MayHoldMarkup("a&b"));
}

}  // namespace
}  // namespace neardup
