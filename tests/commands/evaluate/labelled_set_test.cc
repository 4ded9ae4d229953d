#include "commands/evaluate/labelled_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Label> kLabels = {{"a", "A", "original", ""}, {"b", "A", "exact", ""}};

std::string ErrorOf(const std::string& text) {
  const auto labels = ParseLabels(text, "labels.tsv");
  return labels.ok() ? "" : labels.error().text;
}

TEST(ParseLabels, FindsColumnsByNameAndKeepsTheOrderOfTheLines) {
  const auto labels = ParseLabels(
      "jaccard\tkind\tid\tcluster\r\n"
      "\toriginal\tr1\tA\r\n"
      "\r\n"
      "0.5\texact\tr2\tA\r\n",
      "labels.tsv");
  ASSERT_TRUE(labels.ok()) << labels.error().text;
  ASSERT_EQ(labels->size(), 2);
  EXPECT_EQ((*labels)[0].id, "r1");
  EXPECT_EQ((*labels)[1].id, "r2");
  EXPECT_EQ((*labels)[1].cluster, "A");
  EXPECT_EQ((*labels)[1].kind, "exact");
}

TEST(ParseLabels, ReadsWhatLabelsTextWrites) {
  const std::vector<Label> labels = {{"r1", "c1", "original", ""}, {"r2", "c1", "exact", "r1"}};
  const std::string text = LabelsText(labels);
  EXPECT_EQ(text, "id\tcluster\tkind\tref\nr1\tc1\toriginal\t\nr2\tc1\texact\tr1\n");
  const auto again = ParseLabels(text, "labels.tsv");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)[1].id, "r2");
  EXPECT_EQ((*again)[1].cluster, "c1");
}

TEST(ParseLabels, NamesAMissingColumnAndTheLine) {
  EXPECT_THAT(ErrorOf("id\tcluster\nr1\tA\n"), HasSubstr("labels.tsv:1: found no column kind"));
}

TEST(ParseLabels, NamesALineWithTooFewColumns) {
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\nr1\tA\toriginal\nr2\tA\n"),
              HasSubstr("labels.tsv:3: found 2 columns, expected at least 3"));
}

TEST(ParseLabels, RefusesAnEmptyIdOrCluster) {
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\n\tA\toriginal\n"), HasSubstr("labels.tsv:2: "));
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\nr1\t\toriginal\n"), HasSubstr("labels.tsv:2: "));
}

TEST(ParseLabels, NamesBothLinesOfARepeatedId) {
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\nr1\tA\toriginal\n\nr1\tB\toriginal\n"),
              HasSubstr("labels.tsv:4: the id r1 is on line 2 too"));
}

TEST(ParseLabels, RefusesAFileWithoutLabels) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("found no labels"));
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\n"), HasSubstr("found no labels"));
}

TEST(ParseSetFields, TakesAListOrTheKeysOfAnObject) {
  EXPECT_THAT(ParseSetFields(R"({"fields": ["title", "body"]})", "set.json").value(),
              ElementsAre("title", "body"));
  EXPECT_THAT(ParseSetFields(R"({"fields": {"title": 2, "body": "tf"}})", "set.json").value(),
              ElementsAre("title", "body"));
  for (const char* wrong : {"", "[]", "{}", R"({"fields": "title"})", R"({"fields": [1]})"}) {
    const auto fields = ParseSetFields(wrong, "set.json");
    ASSERT_FALSE(fields.ok()) << wrong;
    EXPECT_THAT(fields.error().text, HasSubstr("set.json: ")) << wrong;
  }
}

TEST(JoinLabels, FindsTheLabelOfARecordByItsIdField) {
  const auto set =
      JoinLabels("s", {R"({"key":"x"})", R"({"key":"b"})", R"({"key":"a"})"}, kLabels, "key");
  ASSERT_TRUE(set.ok()) << set.error().text;
  EXPECT_THAT(set->label_of,
              ElementsAre(std::nullopt, std::optional<size_t>(1), std::optional<size_t>(0)));
  EXPECT_EQ(set->unlabelled(), 1);
}

TEST(JoinLabels, UsesTheLineNumberOfARecordWithoutTheIdField) {
  const std::vector<Label> lines = {{"1", "A", "original", ""}, {"2", "A", "exact", ""}};
  const auto set = JoinLabels("s", {"{}", "not JSON"}, lines, "id");
  ASSERT_TRUE(set.ok()) << set.error().text;
  EXPECT_EQ(set->unlabelled(), 0);
}

TEST(JoinLabels, NamesBothLinesOfARepeatedId) {
  const auto set =
      JoinLabels("news", {R"({"id":"a"})", R"({"id":"b"})", R"({"id":"a"})"}, kLabels, "id");
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().text, HasSubstr("news: the records on lines 1 and 3 both have the id a"));
}

TEST(JoinLabels, RefusesLabelsOfOtherRecords) {
  const auto set = JoinLabels("news", {R"({"id":"x"})"}, kLabels, "id");
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().text, HasSubstr("the first record has the id \"x\", the first label the "
                                          "id \"a\"; name the field that holds"));
}

TEST(JoinLabels, NamesAnIdFieldThatNoRecordHas) {
  const auto set = JoinLabels("news", {R"({"id":"a"})"}, kLabels, "nope");
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().text,
            "news: no record has the field nope; name the field that holds the ids of the labels "
            "with --id-field");
}

}  // namespace
}  // namespace neardup
