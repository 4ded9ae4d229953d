#include "evaluate/labelled_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

using testing::HasSubstr;

const std::vector<Label> kLabels = {{"a", "A", "original", ""}, {"b", "A", "exact", ""}};

TEST(LabelledSet, RecordsFindTheirLabelsByTheIdField) {
  const auto set =
      JoinLabels("s", {R"({"key":"x"})", R"({"key":"b"})", R"({"key":"a"})"}, kLabels, "key");
  ASSERT_TRUE(set.ok()) << set.error().text;
  EXPECT_THAT(set->label_of, testing::ElementsAre(std::nullopt, std::optional<size_t>(1),
                                                  std::optional<size_t>(0)));
  EXPECT_EQ(set->unlabelled(), 1);
}

TEST(LabelledSet, RecordsWithoutTheFieldGoByTheirLine) {
  const std::vector<Label> lines = {{"1", "A", "original", ""}, {"2", "A", "exact", ""}};
  const auto set = JoinLabels("s", {"{}", "not JSON"}, lines, "id");
  ASSERT_TRUE(set.ok()) << set.error().text;
  EXPECT_EQ(set->unlabelled(), 0);
}

TEST(LabelledSet, ALabelledIdThatStandsTwiceIsNamedWithBothLines) {
  const auto set =
      JoinLabels("news", {R"({"id":"a"})", R"({"id":"b"})", R"({"id":"a"})"}, kLabels, "id");
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().text, HasSubstr("news: the records on lines 1 and 3 both have the id a"));
}

TEST(LabelledSet, LabelsOfOtherRecordsAreRefused) {
  const auto set = JoinLabels("news", {R"({"id":"x"})"}, kLabels, "id");
  ASSERT_FALSE(set.ok());
  EXPECT_THAT(set.error().text,
              HasSubstr("the first record is \"x\", the first label \"a\"; is --id-field"));
}

TEST(CallList, CallsStandAtTheirLabels) {
  const auto set =
      JoinLabels("s", {R"({"id":"x"})", R"({"id":"b"})", R"({"id":"a"})"}, kLabels, "id");
  ASSERT_TRUE(set.ok());
  CallList calls(*set);
  calls.AddUnique(0);
  EXPECT_FALSE(calls.calls()[0].has_value());
  calls.AddDuplicate(1, 0);  // names a record without a label
  EXPECT_TRUE(calls.calls()[1]->duplicate);
  EXPECT_EQ(calls.calls()[1]->original, std::nullopt);
  calls.AddDuplicate(2, 1);
  EXPECT_EQ(calls.calls()[0]->original, std::optional<size_t>(1));
}

}  // namespace
}  // namespace neardup
