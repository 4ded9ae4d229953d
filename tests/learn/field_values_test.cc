#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "learn/sample.h"
#include "learn/synthetic_streams.h"

namespace neardup {
namespace {

const std::vector<std::string> kFields = {"text", "price", "tags"};

std::vector<uint64_t> ValuesOf(const std::string& payload) {
  FieldValueReader reader(OptionsOf(kFields));
  return reader.Read({{}, 0, payload});
}

TEST(FieldValues, AreEqualForEqualTokensInAnySpelling) {
  const std::string plain = R"({"text":"One two, three","price":2.10,"tags":{"a":"x","b":"y"}})";
  const std::vector<uint64_t> values = ValuesOf(plain);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(ValuesOf(R"({"tags":{"b":"y","a":"X"},"price":"2.1","text":"<p>one TWO three"})"),
            values);
  EXPECT_NE(ValuesOf(R"({"text":"a","price":1,"tags":{"a":"x","b":"y"}})")[0], values[0]);
  EXPECT_NE(ValuesOf(R"({"text":"a","price":1,"tags":{"a":"y","b":"x"}})")[2], values[2])
      << "the same leaves under other paths";
}

TEST(FieldValues, ChangeOnlyForTheFieldThatChanged) {
  const std::vector<uint64_t> before = ValuesOf(R"({"text":"one two","price":2,"tags":"x"})");
  const std::vector<uint64_t> after = ValuesOf(R"({"text":"one two","price":3,"tags":"x"})");
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
  EXPECT_EQ(after[2], before[2]);
}

TEST(FieldValues, AreZeroForMissingFieldsAndForgetThePreviousRecord) {
  FieldValueReader reader(OptionsOf(kFields));
  reader.Read({{}, 0, R"({"text":"one two","price":2,"tags":"x"})"});
  EXPECT_EQ(reader.Read({{}, 0, R"({"price":null,"tags":"","other":"x"})"}),
            (std::vector<uint64_t>{0, 0, 0}));
}

TEST(FieldValues, TellNumericFieldsFromTexts) {
  FieldValueReader reader(OptionsOf({"text", "price", "date", "weight", "empty"}));
  EXPECT_EQ(reader.NumericFields(), std::vector<bool>(5, false)) << "no record was read";
  for (const char* payload :
       {R"({"text":"all 3 of 12 were there","price":2.5,"date":"2026-01-31","weight":"5 kg"})",
        R"({"text":"none","price":"-7","date":"10:00","weight":"12 kg"})"}) {
    reader.Read({{}, 0, payload});
  }
  EXPECT_EQ(reader.NumericFields(), (std::vector<bool>{false, true, true, true, false}));
}

TEST(FieldValues, AreEqualForMaskedParts) {
  FilterOptions options = OptionsOf({"text"});
  options.feature.masks.time = true;
  FieldValueReader reader(options);
  const uint64_t morning = reader.Read({{}, 0, R"({"text":"at 10:00:00 it began"})"})[0];
  EXPECT_EQ(reader.Read({{}, 0, R"({"text":"at 22:30:00 it began"})"})[0], morning);
  EXPECT_NE(reader.Read({{}, 0, R"({"text":"at 22:30:00 it ended"})"})[0], morning);
}

}  // namespace
}  // namespace neardup
