#include "detect/record/field_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FieldNames, AreTopLevelNamesAndPointersBelow) {
  EXPECT_THAT(
      FieldNames(R"({"title": 1, "article": {"text": "x", "by": {"a/b": {"deep": 1}}}})", 99),
      ElementsAre("title", "article", "/article/text", "/article/by", "/article/by/a~1b"));
}

TEST(FieldNames, ANameThatLooksLikeAPointerBecomesOne) {
  EXPECT_THAT(FieldNames(R"({"/x": 1, "": 2})", 99), ElementsAre("/~1x", "/"));
}

TEST(FieldNames, ANameThatIsThereTwiceIsNamedOnce) {
  EXPECT_THAT(FieldNames(R"({"a": 1, "a": 2, "b": {"c": 1, "c": 2}})", 99),
              ElementsAre("a", "b", "/b/c"));
}

TEST(FieldNames, EndAtTheirLargestNumber) {
  EXPECT_THAT(FieldNames(R"({"a": {"b": 1}, "c": 2})", 2), ElementsAre("a", "/a/b"));
}

TEST(FieldNames, OfSomethingElseThanAnObjectThereAreNone) {
  for (const char* payload : {"", "{", "[1]", "1", "{\"a\":"}) {
    EXPECT_THAT(FieldNames(payload, 99), IsEmpty()) << payload;
  }
}

TEST(FieldNames, ATopLevelPointerIsAPlainName) {
  EXPECT_EQ(PlainFieldName("/title"), "title");
  EXPECT_EQ(PlainFieldName("title"), "title");
  EXPECT_EQ(PlainFieldName("/a/b"), "/a/b");
  EXPECT_EQ(PlainFieldName("/a~1b"), "/a~1b");
}

}  // namespace
}  // namespace neardup
