#include "explain/explain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/pages.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ExplainReport ReportOf(const FilterOptions& options, const std::string& a, const std::string& b) {
  auto explained = ExplainPair(options, {{}, 0, a}, {{}, 0, b});
  EXPECT_TRUE(explained.ok());
  return {"a.json", "b.json", options, std::move(*explained), {"A note."}};
}

const char* const kA = R"({"t":"one two three four five six seven eight nine ten","lang":"en"})";
const char* const kB = R"({"t":"one two three four five six seven eight nine TEN","lang":"de"})";

TEST(Shortened, ReplacesWhatATerminalWouldObeyAndCutsBetweenCharacters) {
  EXPECT_EQ(Shortened("a\x1b[31m\n\x7f\xc2\x9b", 100), "a [31m   ");
  EXPECT_EQ(Shortened("größer", 3), "gr ...");
  EXPECT_EQ(Shortened("größer", 4), "grö ...");
  EXPECT_EQ(Shortened("abc", 3), "abc");
}

TEST(ExplainText, NamesTheKeyFieldThatDiffers) {
  FilterOptions options;
  options.record.fields = {{.path = "t"}, {.path = "lang", .key = true}};
  const std::string text = ExplainText(ReportOf(options, kA, kB));
  EXPECT_THAT(text, HasSubstr("They differ in a key field (lang)"));
  EXPECT_THAT(text, HasSubstr("lang (key field)\n    a.json: en\n    b.json: de\n"));
  EXPECT_THAT(text, HasSubstr("record.fields without lang: exact duplicate\n"));
  EXPECT_THAT(text, HasSubstr("A note.\n"));
}

TEST(ExplainText, NamesTheRecordWithTooFewWords) {
  FilterOptions options;
  const std::string text = ExplainText(ReportOf(options, kA, kB));
  EXPECT_THAT(text,
              HasSubstr("They differ. a.json has 11 distinct words, and b.json has 11 distinct "
                        "words. A record with fewer than 12 (feature.features_min) is not compared "
                        "by distance: it is a duplicate only of records that are equal to it.\n"));
  EXPECT_THAT(text, HasSubstr("feature.features_min 11"));
}

TEST(ExplainText, ShowsNoDistanceOfARecordWithTooFewWords) {
  const ExplainReport report = ReportOf(FilterOptions(), kA, kB);
  for (const std::string& text : {ExplainText(report), ExplainPage(report)}) {
    for (const char* part : {"bits", "simhash", "votes", "text keys", "at most"}) {
      EXPECT_THAT(text, Not(HasSubstr(part)));
    }
  }
}

TEST(ExplainText, HoldsNothingThatATerminalWouldObey) {
  const std::string a = R"({"\u001b[2J":"one \u001b[31m","t":"same"})";
  const std::string b = R"({"\u001b[2J":"two \u009b31m","t":"same"})";
  const std::string text = ExplainText(ReportOf(FilterOptions(), a, b));
  EXPECT_THAT(text, HasSubstr("record.exclude with  [2J: exact duplicate"));
  EXPECT_EQ(text.find_first_of("\x1b\x9b"), std::string::npos);
}

TEST(ExplainPage, ShowsTheTextsAsText) {
  FilterOptions options;
  const std::string page =
      ExplainPage(ReportOf(options, R"({"t":"see <img src=x>"})", R"({"t":"see <b>&"})"));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("&lt;"));
}

}  // namespace
}  // namespace neardup
