#include <gtest/gtest.h>

#include "detect/record/field_extractor.h"

namespace neardup {
namespace {

TEST(RecordId, IsTheTextOfTheField) {
  RecordIdReader reader("id");
  EXPECT_EQ(reader.Read(R"({"id":"a7","x":1})", 3), "a7");
  EXPECT_EQ(reader.Read(R"({"id":17})", 3), "17");
  EXPECT_TRUE(reader.Has(R"({"id":17})"));
  EXPECT_EQ(RecordIdReader("/meta/id").Read(R"({"meta":{"id":"b"}})", 3), "b");
}

TEST(RecordId, IsTheLineNumberIfTheFieldHasNoText) {
  RecordIdReader reader("id");
  for (const char* payload :
       {R"({"x":1})", R"({"id":null})", R"({"id":""})", R"({"id":["a","b"]})", "not JSON", ""}) {
    EXPECT_EQ(reader.Read(payload, 3), "3") << payload;
    EXPECT_FALSE(reader.Has(payload)) << payload;
  }
}

TEST(RecordId, IsAlwaysTheLineNumberWithoutAField) {
  RecordIdReader reader("");
  EXPECT_EQ(reader.Read(R"({"id":"a7"})", 12), "12");
}

}  // namespace
}  // namespace neardup
