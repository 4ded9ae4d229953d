#include "learn/record_fields.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace neardup {
namespace {

std::map<std::string, std::string> Read(const std::string& payload) {
  RecordFields reader;
  std::map<std::string, std::string> fields;
  for (const RecordField& field : reader.Read(payload)) fields[field.path] = field.text;
  return fields;
}

using Fields = std::map<std::string, std::string>;

TEST(RecordFields, NamesFieldsAsSettingsDo) {
  EXPECT_EQ(Read(R"({"a":1,"b":{"c":"x","d/e":true},"/f":null})"),
            (Fields{{"a", "1"}, {"/b/c", "x"}, {"/b/d~1e", "true"}, {"/~1f", ""}}));
}

TEST(RecordFields, ComeInTheOrderOfTheRecordAndOfHundredsByName) {
  const auto paths = [](const std::string& payload) {
    RecordFields reader;
    std::vector<std::string> found;
    for (const RecordField& field : reader.Read(payload)) found.push_back(field.path);
    return found;
  };
  // Of two texts of the same length, the first one is the main text.
  EXPECT_EQ(paths(R"({"title":"a: b","site":"\":\":"})"),
            (std::vector<std::string>{"title", "site"}));
  std::string many = "{";
  for (int i = 999; i >= 100; --i) many += "\"c" + std::to_string(i) + "\":1,";
  many.back() = '}';
  EXPECT_EQ(paths(many).size(), 900U);
  EXPECT_EQ(paths(many).front(), "c100");
}

TEST(RecordFields, TakesTheMembersOfObjectsInAnArrayAsOneField) {
  EXPECT_EQ(Read(R"({"records":[{"id":1,"tags":["a","b"]},{"id":2,"more":[]}],"n":[1,2]})"),
            (Fields{{"/records/*/id", "1\n2"},
                    {"/records/*/tags", "a\nb"},
                    {"/records/*/more", ""},
                    {"n", "1\n2"}}));
}

TEST(RecordFields, OfWhatIsNoObjectAreNone) {
  for (const char* payload : {"", "[1]", "{", "3", "{\"a\":"}) EXPECT_TRUE(Read(payload).empty());
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  EXPECT_TRUE(Read(deep).empty());
}

TEST(RecordFields, SayWhichAreNumbers) {
  RecordFields reader;
  for (const RecordField& field : reader.Read(R"({"a":1.50,"b":"1.50"})")) {
    EXPECT_EQ(field.number, field.path == "a");
    EXPECT_EQ(field.items, 1U);
  }
}

}  // namespace
}  // namespace neardup
