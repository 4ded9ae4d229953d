// Values that a small encoder wrote by the specification become the JSON that they mean. Hostile
// values and schemas are refused within stated bounds.
#include "detect/record/avro_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "detect/record/avro_bytes.h"

namespace neardup {
namespace {

using namespace std::string_literals;
using nlohmann::json;
using testing::HasSubstr;

constexpr size_t kBytesMax = 1'000'000;

std::shared_ptr<const AvroSchema> Compiled(std::vector<std::string> texts) {
  Result<std::shared_ptr<const AvroSchema>> schema = AvroSchema::Compile(texts);
  EXPECT_TRUE(schema.ok()) << (schema.ok() ? "" : schema.error().text);
  return schema.ok() ? *schema : nullptr;
}

std::string RefusalOf(const std::string& text) {
  const auto schema = AvroSchema::Compile(std::vector{text});
  return schema.ok() ? "" : schema.error().text;
}

/// The JSON of a value, or what is wrong with it.
std::string Text(const AvroSchema& schema, const std::string& value, size_t bytes_max = kBytesMax) {
  std::string out;
  JsonOutput output(out, bytes_max);
  const std::string error = schema.Write(value, output);
  return output.full() ? "full" : error.empty() ? out : error;
}
std::string Text(const std::string& schema, const std::string& value) {
  return Text(*Compiled({schema}), value);
}

TEST(AvroSchema, EachTypeBecomesItsJson) {
  EXPECT_EQ(Text(R"("null")", ""), "null");
  EXPECT_EQ(Text(R"("boolean")", "\1"s), "true");
  for (const int64_t number : {INT64_C(0), INT64_C(-1), INT64_C(63), INT64_C(-65), INT64_C(1) << 40,
                               INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(Text(R"("long")", AvroLong(number)), std::to_string(number));
  }
  EXPECT_EQ(Text(R"("int")", AvroLong(INT32_MIN)), "-2147483648");
  EXPECT_EQ(Text(R"("float")", AvroReal(0.1F)), "0.1");
  EXPECT_EQ(Text(R"("double")", AvroReal(-2.5e300)), "-2.5e+300");
  EXPECT_EQ(Text(R"("double")", AvroReal(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(Text(R"("string")", AvroText("a \"b\"\n\xc3\xa9")), "\"a \\\"b\\\"\\u000a\xc3\xa9\"");
  EXPECT_EQ(Text(R"("bytes")", AvroText("\xff\x00\x01"s)), R"("/wAB")");
  EXPECT_EQ(Text(R"({"type":"fixed","name":"F","size":2})", "ab"), R"("YWI=")");
  EXPECT_EQ(Text(R"({"type":"enum","name":"E","symbols":["RED","G\"N"]})", AvroLong(1)),
            R"("G\"N")");
  EXPECT_EQ(Text(R"(["null","string"])", AvroLong(1) + AvroText("bare")), R"("bare")");
}

TEST(AvroSchema, BlocksMayHaveTheirSize) {
  const std::string list = R"({"type":"array","items":"int"})";
  EXPECT_EQ(Text(list, AvroLong(0)), "[]");
  EXPECT_EQ(Text(list, AvroLong(2) + AvroLong(7) + AvroLong(8) + AvroLong(0)), "[7,8]");
  EXPECT_EQ(Text(list, AvroLong(-2) + AvroLong(2) + AvroLong(7) + AvroLong(8) + AvroLong(1) +
                           AvroLong(9) + AvroLong(0)),
            "[7,8,9]");
  EXPECT_EQ(Text(R"({"type":"map","values":"boolean"})",
                 AvroLong(1) + AvroText("k") + "\0"s + AvroLong(0)),
            R"({"k":false})");
}

TEST(AvroSchema, LogicalTypesAreWrittenAsPeopleWriteThem) {
  const auto logical = [](const std::string& type, const std::string& name, int64_t value) {
    return Text(R"({"type":")" + type + R"(","logicalType":")" + name + "\"}", AvroLong(value));
  };
  EXPECT_EQ(logical("int", "date", 0), R"("1970-01-01")");
  EXPECT_EQ(logical("int", "date", -719162), R"("0001-01-01")");
  EXPECT_EQ(logical("int", "date", 19782), R"("2024-02-29")");
  EXPECT_EQ(logical("int", "date", INT32_MAX), "2147483647") << "no such year";
  EXPECT_EQ(logical("int", "time-millis", 45'296'007), R"("12:34:56.007")");
  EXPECT_EQ(logical("long", "time-micros", 1), R"("00:00:00.000001")");
  EXPECT_EQ(logical("long", "time-micros", -1), "-1");
  EXPECT_EQ(logical("long", "timestamp-millis", 1'700'000'000'123),
            R"("2023-11-14T22:13:20.123Z")");
  EXPECT_EQ(logical("long", "timestamp-micros", -1), R"("1969-12-31T23:59:59.999999Z")");
  EXPECT_EQ(logical("long", "timestamp-micros", INT64_MIN), std::to_string(INT64_MIN));
  EXPECT_EQ(logical("long", "local-timestamp-millis", 0), R"("1970-01-01T00:00:00.000Z")");
  EXPECT_EQ(logical("int", "timestamp-millis", 5), "5") << "not of this type, so it is ignored";
  EXPECT_EQ(Text(R"({"type":"string","logicalType":"uuid"})", AvroText("6ba7b810-9dad")),
            R"("6ba7b810-9dad")");
  const auto decimal = [](const std::string& bytes) {
    return Text(R"({"type":"bytes","logicalType":"decimal","precision":9,"scale":2})",
                AvroText(bytes));
  };
  EXPECT_EQ(decimal("\x04\xd2"), "12.34");
  EXPECT_EQ(decimal("\xfb\x2e"), "-12.34");
  EXPECT_EQ(decimal("\x05"), "0.05");
  EXPECT_EQ(decimal("\0"s), "0.00");
  EXPECT_EQ(decimal("\x80" + std::string(15, '\0')), "-1701411834604692317316873037158841057.28");
  EXPECT_EQ(decimal(std::string(17, '\1')), R"("AQEBAQEBAQEBAQEBAQEBAQE=")") << "too long";
  EXPECT_EQ(Text(R"({"type":"fixed","name":"D","size":2,"logicalType":"decimal","precision":4})",
                 "\x04\xd2"),
            "1234");
}

const std::string kArticle = R"({"type":"record","name":"Article","namespace":"news","fields":[
  {"name":"id","type":"long"},
  {"name":"author","type":{"type":"record","name":"Person","fields":[
    {"name":"name","type":"string"},{"name":"next","type":["null","Person"]}]}},
  {"name":"tags","type":{"type":"array","items":"news.Person"}},
  {"name":"text","type":["null","string"],"default":null}]})";

TEST(AvroSchema, RecordsNestAndRepeat) {
  const std::string ann = AvroText("Ann") + AvroLong(0);
  const std::string ben = AvroText("Ben") + AvroLong(1) + ann;
  EXPECT_EQ(Text(kArticle, AvroLong(7) + ben + AvroLong(1) + ann + AvroLong(0) + AvroLong(1) +
                               AvroText("text")),
            R"({"id":7,"author":{"name":"Ben","next":{"name":"Ann","next":null}},)"
            R"("tags":[{"name":"Ann","next":null}],"text":"text"})");
  EXPECT_EQ(Compiled({kArticle})->name(), "news.Article");
}

TEST(AvroSchema, AnEarlierTextMayDefineTypes) {
  const auto schema = Compiled(
      {R"({"type":"enum","name":"Colour","namespace":"shop","symbols":["RED"]})",
       R"({"type":"record","name":"Shoe","fields":[{"name":"colour","type":"shop.Colour"}]})"});
  EXPECT_EQ(Text(*schema, AvroLong(0)), R"({"colour":"RED"})");
}

TEST(AvroSchema, ARenamedFieldHasTheNameThatItHadFirst) {
  const auto fields = [](const std::string& list) {
    return R"({"type":"record","name":"A","fields":[)" + list + "]}";
  };
  const std::string value = AvroText("x");
  EXPECT_EQ(Text(fields(R"({"name":"text","type":"string"})"), value), R"({"text":"x"})");
  EXPECT_EQ(Text(fields(R"({"name":"body","aliases":["text"],"type":"string"})"), value),
            R"({"text":"x"})");
  EXPECT_EQ(Text(fields(R"({"name":"content","aliases":["body","text"],"type":"string"})"), value),
            R"({"text":"x"})");
  EXPECT_EQ(Text(fields(R"({"name":"body","aliases":["text"],"type":"string"},
                           {"name":"text","type":"int"})"),
                 value + AvroLong(1)),
            R"({"body":"x","text":1})")
      << "another field has the name";
}

TEST(AvroSchema, RefusesWhatIsNoSchema) {
  EXPECT_THAT(RefusalOf("{"), HasSubstr("not JSON"));
  EXPECT_THAT(RefusalOf("7"), HasSubstr("no text, no list and no object"));
  EXPECT_THAT(RefusalOf(R"("Person")"), HasSubstr("Person, which nothing defines"));
  EXPECT_THAT(RefusalOf(R"({"type":"record","name":"A"})"), HasSubstr("without fields"));
  EXPECT_THAT(RefusalOf(R"({"type":"record","name":"A","fields":[{"name":"a"}]})"),
              HasSubstr("without a type"));
  EXPECT_THAT(RefusalOf(R"({"type":"record","name":"A","fields":[7]})"),
              HasSubstr("without a name"));
  EXPECT_THAT(RefusalOf(R"({"type":"array"})"), HasSubstr("without items"));
  EXPECT_THAT(RefusalOf(R"([["null"]])"), HasSubstr("a union in a union"));
  EXPECT_THAT(RefusalOf(R"({"type":"record","name":"A","fields":[
      {"name":"a","type":{"type":"fixed","name":"A","size":1}}]})"),
              HasSubstr("two definitions"));
}

TEST(AvroSchema, RefusesSchemasBeyondTheBounds) {
  std::string deep = R"("int")";
  for (int i = 0; i < 100; ++i) deep = R"({"type":"array","items":)" + deep + "}";
  EXPECT_THAT(RefusalOf(deep), HasSubstr("deeper than 64"));
  std::string wide = "[\"int\"";
  for (int i = 0; i < 10'000; ++i) wide += ",\"int\"";
  EXPECT_THAT(RefusalOf(wide + "]"), HasSubstr("more than 10000"));
  EXPECT_THAT(RefusalOf(std::string(AvroSchema::kTextBytesMax + 1, ' ')),
              HasSubstr("expected at most"));
}

TEST(AvroSchema, SaysWhereAValueIsWrong) {
  EXPECT_EQ(Text(R"("string")", AvroLong(5) + "abc"),
            "not Avro of its schema at byte 1: a part of 5 bytes, but 3 are left");
  EXPECT_THAT(Text(R"("string")", AvroLong(-5)), HasSubstr("the length -5"));
  EXPECT_THAT(Text(R"("int")", AvroLong(INT64_C(1) << 31)), HasSubstr("a number of 32 bits"));
  EXPECT_THAT(Text(R"("long")", std::string(11, '\xff')), HasSubstr("more than 64 bits"));
  EXPECT_THAT(Text(R"("long")", "\xff"), HasSubstr("ends within a number"));
  EXPECT_THAT(Text(R"("boolean")", "\2"s), HasSubstr("not 0 or 1"));
  EXPECT_THAT(Text(R"(["null"])", AvroLong(1)), HasSubstr("found the number 1"));
  EXPECT_THAT(Text(R"({"type":"enum","name":"E","symbols":[]})", AvroLong(0)),
              HasSubstr("found the number 0"));
  EXPECT_THAT(Text(R"("int")", AvroLong(1) + "x"), HasSubstr("1 more bytes after the value"));
  EXPECT_THAT(Text(R"({"type":"array","items":"null"})", AvroLong(INT64_MIN)),
              HasSubstr("a count out of range"));
}

TEST(AvroSchema, HostileValuesAreBounded) {
  const auto list = Compiled({R"({"type":"array","items":"null"})"});
  EXPECT_EQ(Text(*list, AvroLong(INT64_MAX), 10'000), "full");
  const auto self =
      Compiled({R"({"type":"record","name":"A","fields":[{"name":"a","type":"A"}]})"});
  EXPECT_THAT(Text(*self, ""), HasSubstr("deeper than 64"));
  const auto chain = Compiled({R"({"type":"record","name":"A","fields":[
      {"name":"a","type":["null","A"]}]})"});
  EXPECT_THAT(Text(*chain, std::string(100'000, '\2')), HasSubstr("deeper than 64"));
  // Each type holds the one before it twice.
  std::string fields = R"({"name":"f","type":{"type":"record","name":"T0","fields":[]}})";
  for (int i = 1; i < 26; ++i) {
    const std::string before = "T" + std::to_string(i - 1);
    fields += R"(,{"name":"f)" + std::to_string(i) + R"(","type":{"type":"record","name":"T)" +
              std::to_string(i) + R"(","fields":[{"name":"a","type":")" + before +
              R"("},{"name":"b","type":")" + before + R"("}]}})";
  }
  const auto doubling = Compiled({R"({"type":"record","name":"R","fields":[)" + fields + "]}"});
  EXPECT_EQ(Text(*doubling, ""), "full");
}

// Every cut and every changed byte gives JSON or an error.
TEST(AvroSchema, ChangedValuesGiveJsonOrAnError) {
  const auto schema = Compiled({kArticle});
  const std::string value = AvroLong(7) + AvroText("Ben") + AvroLong(1) + AvroText("Ann") +
                            AvroLong(0) + AvroLong(-1) + AvroLong(4) + AvroText("Eve") +
                            AvroLong(0) + AvroLong(0) + AvroLong(1) + AvroText("some text");
  ASSERT_TRUE(json::accept(Text(*schema, value)));
  for (size_t cut = 0; cut < value.size(); ++cut) {
    EXPECT_THAT(Text(*schema, value.substr(0, cut)), HasSubstr("not Avro")) << cut;
  }
  std::mt19937_64 random(20260701);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = value;
    for (int changes = 0; changes < 1 + i % 3; ++changes) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    std::string text = Text(*schema, changed);
    for (char& c : text) c = c < 0 ? '?' : c;  // text need not be UTF-8
    EXPECT_TRUE(text.starts_with("not Avro") || json::accept(text)) << text;
  }
}

}  // namespace
}  // namespace neardup
