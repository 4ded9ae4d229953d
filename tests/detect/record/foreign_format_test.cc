#include "detect/record/foreign_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detect/record/field_extractor.h"

namespace neardup {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The error of a payload that is refused.
std::string ErrorOf(std::string_view payload) {
  FieldExtractor extractor{RecordOptions{}};
  const ReadOutcome& outcome = extractor.Extract({{}, 0, payload}).outcome;
  EXPECT_FALSE(outcome.comparable()) << payload;
  return outcome.error;
}

TEST(ForeignFormat, APayloadOfAnotherFormatIsNamedWithARemedy) {
  using namespace std::string_view_literals;
  struct Case {
    std::string_view payload;
    const char* what;
    const char* remedy;
  };
  const Case cases[] = {
      {R"([{"a": 1}, {"a": 2}])", "a JSON array", "jq -c '.[]'"},
      {"[", "a JSON array", "jq -c '.[]'"},
      {R"({'a': 1})", "a Python dictionary", "json.dumps"},
      {R"("{\"a\": 1}")", "a JSON object that is encoded twice", "jq -c fromjson"},
      {"id,title,text", "what looks like CSV", "mlr --icsv --ojsonl cat"},
      {"7;Rain;It rains", "what looks like CSV", "mlr"},
      {"7\tRain, again", "what looks like TSV", "mlr --itsv --ojsonl cat"},
      {"- id: 7\n  text: Rain\n", "what looks like YAML", "yq -o json"},
      {"---\nid: 7\n", "what looks like YAML", "yq -o json"},
      {"title: Rain, and more", "what looks like YAML", "yq -o json"},
      {"Note : Rain", "what looks like plain text", "jq -cR"},
      {R"({"a": NaN, "b": 1})", "NaN or Infinity", "jq -c ."},
      {R"({"a": [1, -Infinity]})", "NaN or Infinity", "jq -c ."},
      {R"("7","Rain, again")", "what looks like CSV", "mlr"},
      {"Rain, and more rain", "what looks like plain text", "jq -cR"},
      {"[info] started", "what looks like plain text", "jq -cR"},
      {"<p>Rain</p>", "XML or HTML", "convert it"},
      {"\0\0\0\0\x11\x02rain"sv, "the prefix of a schema registry (schema 17)", "registry.url"},
      {"Obj\x01\x04"sv, "an Avro file", "avro-tools tojson"},
      {"\x1f\x8b\x08"sv, "gzip data", "gzip -dc"},
      {"\x28\xb5\x2f\xfd\x04"sv, "zstd data", "zstd -dc"},
      {"\x0a\x04rain\x10\x05"sv, "binary data", "convert it"},
      {"\xff\xfe{\0}\0"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
      {"{\0\"\0a\0"sv, "UTF-16 text", "iconv -f UTF-16LE -t UTF-8"},
      {"\0{\0\"\0a"sv, "UTF-16 text", "iconv -f UTF-16BE -t UTF-8"},
      {"\r\0\n\0{\0"sv, "UTF-16 text", "iconv -f UTF-16LE -t UTF-8"},
      {"\0\0\0{\"a\":1}"sv, "zero bytes", "tr -d '\\000'"},
      {"\0\0\0\0\0\0{\"a\":1}"sv, "zero bytes", "tr -d '\\000'"},
      {"\xff\xfe\0\0{\0\0\0"sv, "UTF-32 text", "iconv -f UTF-32 -t UTF-8"},
      {"{\0\0\0\"\0\0\0"sv, "UTF-32 text", "iconv -f UTF-32LE -t UTF-8"},
      {"\0\0\0\0\0\0\0\0\0{\"a\":1}"sv, "zero bytes", "tr -d '\\000'"},
      {R"({"a": 1} {"a": 2})", "several JSON objects on one line", "jq -c ."},
      {R"({"a": "}{"},)", "a comma after the JSON object", "sed 's/,[[:space:]]*$//'"},
      {R"({"a": 1} // x)", R"("// x" after the JSON object)", "end the record with its object"},
  };
  for (const Case& each : cases) {
    const std::string error = ErrorOf(each.payload);
    EXPECT_THAT(error, HasSubstr(std::string("; found ") + each.what)) << each.payload;
    EXPECT_THAT(error, HasSubstr(each.remedy)) << each.payload;
  }
}

TEST(ForeignFormat, JsonThatIsDamagedOrOfAnotherKindIsNotCalledSomethingElse) {
  for (const std::string_view payload :
       {R"({"id":)", "{\"a\": \"\xff\"}", R"({"a": "\ud800"})", "", "17", "-1.5e3", "true", "null",
        R"("rain")", R"("rain)", "[1, 2]"}) {
    EXPECT_THAT(ErrorOf(payload), Not(HasSubstr("found"))) << payload;
  }
}

TEST(ForeignFormat, WhatFollowsAnObjectIsNamedWithItsPlace) {
  EXPECT_EQ(
      ErrorOf(R"({"a": 1} ;)"),
      R"(not JSON at byte 9; found ";" after the JSON object: end the record with its object)");
}

/// The remedy for a file that begins so; empty: it is read as JSON Lines.
std::string RemedyFor(std::string_view beginning, bool whole = true) {
  const std::optional<ForeignFormat> format = FormatOfFile(beginning, whole);
  return format ? format->remedy : "";
}

TEST(ForeignFormat, AFileOfJsonInAnotherArrangementIsNamedWithACommand) {
  struct Case {
    const char* file;
    const char* remedy;
  };
  const Case cases[] = {
      {"[\n", "jq -c '.[]'"},
      {"\n\n [\n{\"a\":1},\n{\"a\":2}\n]\n", "jq -c '.[]'"},
      {"[{\"a\":1},\n{\"a\":2}]\n", "jq -c '.[]'"},
      {"{\n\"a\": 1\n}\n{\n\"a\": 2\n}\n", "jq -c ."},
      {"{\"type\":\"list\",\"features\":[\n{\"a\":1},\n{\"a\":2}]}", "jq -c '.features[]'"},
      {"{\"users\":[{\"a\":1}],\n\"texts\":[{\"a\":1},\n{\"a\":2}]}", "jq -c '.texts[]'"},
      {"{\"type\":\"FeatureCollection\",\"features\":[{\"a\":1},{\"a\":2}]}\n",
       "jq -c '.features[]'"},
      {"{\n\"a\": [{\"b\":1}]\n}\n{\n\"a\": [{\"b\":2}]\n}\n", "jq -c ."},
      {"{\n\"k1\": {\"a\":1},\n\"k2\": {\"a\":2}\n}\n",
       "jq -c 'to_entries[] | {id: .key} + .value'"},
      {"{\"found\":{\"hits\":[\n{\"a\":1},\n{\"a\":2}\n]}}", "jq -c '.found.hits[]'"},
      {"{\n\"a b\":[{\"a\":1}]}", "jq -c '.\"a b\"[]'"},
      {"var part0 = [\n{\"a\":1},\n{\"a\":2}\n];\n", "tail -c +13 FILE | head -c 20 | jq -c '.[]'"},
      {"\n w.x[\"y\"].part0 = [\n{\"a\":1}\n]\n", "tail -c +20 FILE"},
      {"export default [\n{\"a\":1},\n{\"a\":2}\n];\n", "tail -c +16 FILE"},
      {"// made by a tool\n[\n{\"a\":1}\n]\n", "tail -c +19 FILE"},
      {")]}'\n{\"a\":[{\"b\":1},\n{\"b\":2}]}\n", "tail -c +6 FILE | head -c 24 | jq -c '.a[]'"},
      {"load({\"a\":\n1});\n", "jq -c '.'"},
      {"{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n", "sed '$s/,[[:space:]]*$//'"},
      {"{\"a\":1}\n,{\"a\":2}\n,{\"a\":3}\n", "sed '$s/,[[:space:]]*$//'"},
      {"{\n\"a\":1\n},\n{\n\"a\":2\n},\n", "sed '$s/,[[:space:]]*$//'"},
      {"{\"a\":1};\n{\"a\":2};\n", "sed 's/}[^]}\",]*$/}/' FILE"},
      {"{\"a\":1}<>{\"a\":2}<>{\"a\":3}\n", "sed 's/}<>{/}\\n{/g' FILE"},
      {"10:00 {\"a\":1}\n10:01 {\"a\":2}\n", "sed 's/^[^{]*//' FILE"},
      {"{\"a\":1}\n{\"a\":2}{\"a\":3}\n{\"a\":4}{\"a\":5}\n", "jq -c ."},
      {"{\"a\":1}\x1e{\"a\":2}", "tr -d '\\036' < FILE | jq -c ."},
      {"{\"a\":1}{\"a\":2}", "jq -c ."},
      {"{\"a\":1} {\"a\":2}\r\n{\"a\":3} {\"a\":4}\r\n", "jq -c ."},
      {"\x1e{\"a\":1}\n\x1e{\"a\":2}\n", "tr -d '\\036'"},
  };
  for (const Case& each : cases) EXPECT_THAT(RemedyFor(each.file), HasSubstr(each.remedy));
  EXPECT_THAT(RemedyFor("{\"a\":[\n{\"b\":1},\n", false), HasSubstr("jq -c '.a[]'"));
}

TEST(ForeignFormat, OneDamagedLineMakesNoOtherFormat) {
  for (const char* file :
       {"{\"a\":1}\n", "{\"a\":\n{\"a\":2}\n{\"a\":3}\n", "{\"a\":\n{\"a\":2}\n",
        "{\"a\n{\"a\":2}\n", "{\"a\":1},\n{\"a\":2}\n", "{\"a\":1}\n,{\"a\":2}\n",
        "{\"a\":1}{\"a\":2}\n{\"a\":3}\n", "{\"a\":1}x\n{\"a\":2}\n",
        "{\"a\":[{\"b\":1}]}\n{\"a\":[{\"b\":2}]}\n", "{\"a\":[{\"b\":1},{\"b\":2}]}",
        "a = b [c]\n", "[1] started\n", "{\"a\": nothing\n}\n", "", "\n\n", "{\"a\":1}\n[\n"}) {
    EXPECT_EQ(RemedyFor(file), "") << file;
  }
  EXPECT_EQ(RemedyFor("{\"a\":\n", false), "") << "the only line so far may be damaged";
  using namespace std::string_view_literals;
  EXPECT_EQ(RemedyFor("\0\0\0{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"sv), "");
}

TEST(ForeignFormat, TheCommandForAFileCountsTheBytesBeforeItsText) {
  const auto format = FormatOfFile("a = [{}]", true, 3);
  ASSERT_TRUE(format);
  EXPECT_THAT(format->remedy, HasSubstr("tail -c +8 FILE"));
}

TEST(ForeignFormat, APayloadThatIsTooLargeIsNamedToo) {
  RecordOptions options;
  options.record_bytes_max = 1024;
  FieldExtractor extractor(options);
  const std::string payload = "[{" + std::string(2000, ' ');
  EXPECT_THAT(extractor.Extract({{}, 0, payload}).outcome.error, HasSubstr("found a JSON array"));
}

}  // namespace
}  // namespace neardup
