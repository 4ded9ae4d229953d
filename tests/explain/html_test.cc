#include "explain/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Html, EscapesTheCharactersOfMarkup) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\">R&D</a>"), "&lt;a href=&quot;x&quot;&gt;R&amp;D&lt;/a&gt;");
  EXPECT_EQ(HtmlParagraph("1 < 2"), "<p>1 &lt; 2</p>\n");
  EXPECT_EQ(HtmlParagraph("x", "muted"), "<p class=\"muted\">x</p>\n");
}

TEST(Html, APageHoldsItsTitleAndBody) {
  const std::string page = HtmlPage("A & B", "<p>body</p>\n");
  EXPECT_THAT(page, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("<title>A &amp; B</title>"));
  EXPECT_THAT(page, HasSubstr("<h1>A &amp; B</h1>\n<p>body</p>\n</body>"));
}

TEST(HtmlTable, AlignsNumbersAndEscapesTexts) {
  HtmlTable table({{"<name>"}, {"recall", true}});
  table.AddRow({"a & b", "12"});
  table.AddRow({"heat", HtmlCell("1.000", 1.0)});
  const std::string html = table.Html();
  EXPECT_THAT(html, HasSubstr("<tr><th>&lt;name&gt;</th><th class=\"number\">recall</th></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><td>a &amp; b</td><td class=\"number\">12</td></tr>"));
  EXPECT_THAT(html, HasSubstr("style=\"background: rgba(var(--heat), 0.450)\">1.000</td>"));
}

}  // namespace
}  // namespace neardup
