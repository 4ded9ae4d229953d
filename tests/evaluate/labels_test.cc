#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/labelled_set.h"

namespace neardup {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const auto labels = ParseLabels(text, "labels.tsv");
  return labels.ok() ? "" : labels.error().text;
}

TEST(Labels, AreReadInTheirOrderByTheNamesOfTheColumns) {
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

TEST(Labels, WhatIsWrittenIsReadAgain) {
  const std::vector<Label> labels = {{"r1", "c1", "original", ""}, {"r2", "c1", "exact", "r1"}};
  const std::string text = LabelsText(labels);
  EXPECT_EQ(text, "id\tcluster\tkind\tref\nr1\tc1\toriginal\t\nr2\tc1\texact\tr1\n");
  const auto again = ParseLabels(text, "labels.tsv");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)[1].id, "r2");
  EXPECT_EQ((*again)[1].cluster, "c1");
}

TEST(Labels, AMissingColumnIsNamedWithTheLine) {
  EXPECT_THAT(ErrorOf("id\tcluster\nr1\tA\n"), HasSubstr("labels.tsv:1: no column kind"));
}

TEST(Labels, AShortLineIsNamed) {
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\nr1\tA\toriginal\nr2\tA\n"),
              HasSubstr("labels.tsv:3: found 2 columns, expected at least 3"));
}

TEST(Labels, AnEmptyIdOrClusterIsRefused) {
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\n\tA\toriginal\n"), HasSubstr("labels.tsv:2: "));
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\nr1\t\toriginal\n"), HasSubstr("labels.tsv:2: "));
}

TEST(Labels, AnIdThatStandsTwiceIsNamedWithBothLines) {
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\nr1\tA\toriginal\n\nr1\tB\toriginal\n"),
              HasSubstr("labels.tsv:4: the id r1 stands twice, first on line 2"));
}

TEST(Labels, AFileWithoutLabelsIsRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("no labels"));
  EXPECT_THAT(ErrorOf("id\tcluster\tkind\n"), HasSubstr("no labels"));
}

}  // namespace
}  // namespace neardup
