#include "record/foreign_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/field_extractor.h"

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
      {"7\tRain", "what looks like CSV", "mlr"},
      {R"("7","Rain, again")", "what looks like CSV", "mlr"},
      {"Rain, and more rain", "what looks like plain text", "jq -cR"},
      {"[info] started", "what looks like plain text", "jq -cR"},
      {"<p>Rain</p>", "XML or HTML", "convert it"},
      {"\0\0\0\0\x11\x02rain"sv, "the prefix of a schema registry (schema 17)", "plain JSON"},
      {"Obj\x01\x04"sv, "an Avro file", "avro-tools tojson"},
      {"\x1f\x8b\x08"sv, "gzip data", "gzip -dc"},
      {"\x28\xb5\x2f\xfd\x04"sv, "zstd data", "zstd -dc"},
      {"\x0a\x04rain\x10\x05"sv, "binary data", "convert it"},
      {"\xff\xfe{\0}\0"sv, "UTF-16 text", "iconv -f UTF-16 -t UTF-8"},
  };
  for (const Case& each : cases) {
    const std::string error = ErrorOf(each.payload);
    EXPECT_THAT(error, HasSubstr(std::string("; found ") + each.what)) << each.payload;
    EXPECT_THAT(error, HasSubstr(each.remedy)) << each.payload;
  }
}

TEST(ForeignFormat, JsonThatIsDamagedOrOfAnotherKindIsNotCalledSomethingElse) {
  for (const std::string_view payload :
       {R"({"id":)", R"({"a": 1} x)", "{\"a\": \"\xff\"}", R"({"a": "\ud800"})", "", "17", "-1.5e3",
        "true", "null", R"("rain")", R"("rain)", "[1, 2]"}) {
    EXPECT_THAT(ErrorOf(payload), Not(HasSubstr("found"))) << payload;
  }
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
