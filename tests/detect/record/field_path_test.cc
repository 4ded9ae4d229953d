#include <gtest/gtest.h>

#include "detect/record/field_selection.h"

namespace neardup {
namespace {

FieldPath Read(std::string_view selector) {
  auto path = ParseFieldPath(selector);
  EXPECT_TRUE(path.ok()) << selector;
  return path.ok() ? path.value() : FieldPath{};
}

TEST(FieldPath, ReadsATopLevelNameUnchanged) {
  EXPECT_EQ(Read("title"), FieldPath{"title"});
  EXPECT_EQ(Read("a/b~1"), FieldPath{"a/b~1"});
}

// The pointers of RFC 6901, section 5.
TEST(FieldPath, ReadsTheExamplesOfRfc6901) {
  EXPECT_EQ(Read("/foo"), FieldPath{"foo"});
  EXPECT_EQ(Read("/foo/0"), (FieldPath{"foo", "0"}));
  EXPECT_EQ(Read("/"), FieldPath{""});
  EXPECT_EQ(Read("/a~1b"), FieldPath{"a/b"});
  EXPECT_EQ(Read("/c%d"), FieldPath{"c%d"});
  EXPECT_EQ(Read("/e^f"), FieldPath{"e^f"});
  EXPECT_EQ(Read("/i\\j"), FieldPath{"i\\j"});
  EXPECT_EQ(Read("/k\"l"), FieldPath{"k\"l"});
  EXPECT_EQ(Read("/ "), FieldPath{" "});
  EXPECT_EQ(Read("/m~0n"), FieldPath{"m~n"});
}

TEST(FieldPath, ReadsTildeOneAfterTildeZeroAsText) { EXPECT_EQ(Read("/~01"), FieldPath{"~1"}); }

TEST(FieldPath, OfNothingIsTheWholeDocument) { EXPECT_EQ(Read(""), FieldPath{}); }

TEST(FieldPath, KeepsEmptyKeys) { EXPECT_EQ(Read("/a//b/"), (FieldPath{"a", "", "b", ""})); }

TEST(FieldPath, RefusesTextThatIsNoSelector) {
  for (const char* selector : {"/~", "/a~", "/a~2", "/~x/b", "/\xff", "\xc3"}) {
    EXPECT_FALSE(ParseFieldPath(selector).ok()) << selector;
  }
}

TEST(FieldPath, WritesThePointerItReads) {
  for (const char* pointer : {"/", "/a", "/a~1b/0", "/m~0n", "/~01", "/a//b/"}) {
    EXPECT_EQ(ToPointer(Read(pointer)), pointer);
  }
  EXPECT_EQ(ToPointer(Read("a/b~")), "/a~1b~0");
}

TEST(FieldPath, IsWithinItselfAndItsAncestorsOnly) {
  EXPECT_TRUE(IsWithin({"a", "b"}, {"a", "b"}));
  EXPECT_TRUE(IsWithin({"a", "b"}, {"a"}));
  EXPECT_FALSE(IsWithin({"a"}, {"a", "b"}));
  EXPECT_FALSE(IsWithin({"ab"}, {"a"}));
}

}  // namespace
}  // namespace neardup
